#pragma once

#include "core/base/result.h"

#include <QLockFile>
#include <QTemporaryDir>

namespace shardlens {

// A temporary folder for the recordings of a run. The destructor removes it. A lock file marks it
// as in use, so that removeAbandoned() of a later process removes it if this one is killed.
class RunFolder {
 public:
  RunFolder();

  // Returns false if the folder could not be created; errorString() has the reason.
  bool isValid() const { return folder_.isValid(); }
  QString errorString() const { return folder_.errorString(); }
  QString path() const { return folder_.path(); }
  QString filePath(const QString& name) const { return folder_.filePath(name); }
  // Writes a file into the folder and returns its path. Overwrites an existing file.
  Result<QString> write(const QString& name, const std::string& text) const;

  // Returns true if the path is inside any RunFolder, so that the file is temporary.
  static bool contains(const QString& path);
  // Removes the folders of processes that have ended. Errors are ignored.
  static void removeAbandoned();

 private:
  QTemporaryDir folder_;
  QLockFile owner_;
};

}  // namespace shardlens
