#pragma once

#include <QString>
#include <QVariantList>

namespace shardlens {

// The breakpoints of the documents that were open last, between two runs of the program.
QVariantList rememberedBreakpoints(const QString& path);
void rememberBreakpoints(const QString& path, const QVariantList& breakpoints);

}  // namespace shardlens
