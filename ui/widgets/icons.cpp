#include "ui/widgets/icons.h"

#include <QFile>
#include <QHash>
#include <QPainter>
#include <QSvgRenderer>

namespace shardlens {

QPixmap tintedIcon(const QString& name, const QColor& colour, int pixels, double ratio) {
  static QHash<QString, QPixmap> drawn;
  const QString key = QStringLiteral("%1 %2 %3 %4").arg(name, colour.name()).arg(pixels).arg(ratio);
  const auto known = drawn.constFind(key);
  if (known != drawn.constEnd()) {
    return *known;
  }
  QFile file(QStringLiteral(":/shardlens/icons/%1.svg").arg(name));
  QPixmap pixmap(QSize(pixels, pixels) * ratio);
  pixmap.setDevicePixelRatio(ratio);
  pixmap.fill(Qt::transparent);
  if (file.open(QIODevice::ReadOnly)) {
    QSvgRenderer renderer(file.readAll().replace("currentColor", colour.name().toLatin1()));
    QPainter painter(&pixmap);
    renderer.render(&painter, QRectF(0, 0, pixels, pixels));
  }
  drawn.insert(key, pixmap);
  return pixmap;
}

}  // namespace shardlens
