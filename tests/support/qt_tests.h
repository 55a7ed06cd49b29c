// Common includes of the window tests. Each test program precompiles this header.
#pragma once

#include <gmock/gmock.h>

#include <QApplication>
#include <QString>
#include <ostream>

// Lets GoogleTest print a QString as text, not as bytes. GoogleTest finds it by its name.
// NOLINTNEXTLINE(readability-identifier-naming)
inline void PrintTo(const QString& text, std::ostream* out) {
  *out << '"' << text.toStdString() << '"';
}
