#pragma once

#include "core/base/result.h"

#include <QLockFile>
#include <QTemporaryDir>

namespace shardlens {

// A temporary folder for what a run records. It goes with this object; if the program is killed,
// the next one that starts removes it.
class RunFolder {
 public:
  RunFolder();

  bool isValid() const { return folder_.isValid(); }
  QString errorString() const { return folder_.errorString(); }
  QString path() const { return folder_.path(); }
  QString filePath(const QString& name) const { return folder_.filePath(name); }
  // Writes a file there; its path.
  Result<QString> write(const QString& name, const std::string& text) const;

  // Whether a file is in such a folder, which somebody will not find again.
  static bool holds(const QString& path);
  // Removes those whose program is gone.
  static void removeAbandoned();

 private:
  QTemporaryDir folder_;
  QLockFile owner_;
};

}  // namespace shardlens
