#pragma once

#include <QColor>
#include <QPixmap>
#include <QString>

namespace shardlens {

// One of resources/icons, in a colour of the theme: the files draw in "currentColor".
QPixmap tintedIcon(const QString& name, const QColor& colour, int pixels, double ratio);

}  // namespace shardlens
