#include "ui/bridge/run_folder.h"

#include <QDir>
#include <QFile>

namespace shardlens {
namespace {

const QString kName = QStringLiteral("shardlens-run-");
const QString kOwner = QStringLiteral("owner");

}  // namespace

RunFolder::RunFolder()
    : folder_(QDir::temp().filePath(kName + QStringLiteral("XXXXXX"))),
      owner_(folder_.filePath(kOwner)) {
  owner_.setStaleLockTime(0);  // the lock never expires
  owner_.tryLock();
}

Result<QString> RunFolder::write(const QString& name, const std::string& text) const {
  QFile file(filePath(name));
  if (!file.open(QIODevice::WriteOnly) ||
      file.write(text.data(), static_cast<qint64>(text.size())) < 0 || !file.flush()) {
    return fail((file.fileName() + QStringLiteral(": ") + file.errorString()).toStdString());
  }
  return file.fileName();
}

bool RunFolder::contains(const QString& path) {
  return path.startsWith(QDir::temp().filePath(kName));
}

void RunFolder::removeAbandoned() {
  const QDir all = QDir::temp();
  for (const QString& name : all.entryList({kName + u'*'}, QDir::Dirs | QDir::NoSymLinks)) {
    QDir folder(all.filePath(name));
    if (!folder.exists(kOwner)) {
      continue;  // its process is about to lock it
    }
    QLockFile owner(folder.filePath(kOwner));
    owner.setStaleLockTime(0);
    if (owner.tryLock()) {
      owner.unlock();
      folder.removeRecursively();
    }
  }
}

}  // namespace shardlens
