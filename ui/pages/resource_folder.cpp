#include "ui/pages/resource_folder.h"

#include <QCoreApplication>
#include <QDir>

namespace shardlens {

QString resourceFolder(const QString& installed, const QString& ofCheckout, const QString& inside) {
  const QString program = QCoreApplication::applicationDirPath();
  for (const QString& place : {program + QStringLiteral("/../share/shardlens/") + installed,
                               program + QStringLiteral("/../../") + ofCheckout,
                               QStringLiteral(SHARDLENS_CHECKOUT "/") + ofCheckout}) {
    if (QDir(place + u'/' + inside).exists()) {
      return QDir::cleanPath(place);
    }
  }
  return {};
}

}  // namespace shardlens
