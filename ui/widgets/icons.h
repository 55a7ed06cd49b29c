#pragma once

#include <QColor>
#include <QPixmap>
#include <QString>

namespace shardlens {

// Renders an icon of resources/icons in a colour, which replaces "currentColor" in the file.
// Results are cached. Returns a transparent pixmap if there is no such icon. `ratio` is the device
// pixel ratio. GUI thread only.
QPixmap tintedIcon(const QString& name, const QColor& colour, int pixels, double ratio);

}  // namespace shardlens
