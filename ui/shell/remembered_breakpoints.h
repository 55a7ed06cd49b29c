#pragma once

#include <QString>
#include <QVariantList>

namespace shardlens {

// The breakpoints of the last 50 documents, stored in the settings by path. An empty list removes
// the document; an unknown path gives an empty list.
QVariantList rememberedBreakpoints(const QString& path);
void rememberBreakpoints(const QString& path, const QVariantList& breakpoints);

}  // namespace shardlens
