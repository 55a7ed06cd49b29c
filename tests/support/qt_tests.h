// What every test of the window begins with, compiled once for each program of them.
#pragma once

#include <gmock/gmock.h>

#include <QApplication>
#include <QString>
#include <ostream>

// A failed comparison shows the text, not the object's bytes. Where GoogleTest looks for it.
// NOLINTNEXTLINE(readability-identifier-naming)
inline void PrintTo(const QString& text, std::ostream* out) {
  *out << '"' << text.toStdString() << '"';
}
