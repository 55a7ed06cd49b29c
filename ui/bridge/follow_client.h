#pragma once

#include "ui/bridge/run_folder.h"

#include <QObject>
#include <QProcess>

namespace shardlens {

struct FollowReport;

// Follows a run that goes on elsewhere: a child process copies its recordings into a folder, which
// the window opens as any other. The folder goes with this object, and so does the child.
class FollowClient final : public QObject {
  Q_OBJECT

 public:
  explicit FollowClient(QObject* parent = nullptr);
  ~FollowClient() override;

  void start(const QString& where, const QString& token);  // "127.0.0.1:7070"
  QString folder() const { return folder_.path(); }

 Q_SIGNALS:
  void arrived();  // the folder has a first recording
  void lost();     // the connection, which may come back
  void found();    // it has
  void ended();    // the run has
  // It will not go on: a sentence for the person in front of the window.
  void failed(const QString& message);

 private:
  void readLines();
  void take(const FollowReport& report);
  void finished(int exitCode, QProcess::ExitStatus status);

  RunFolder folder_;
  QProcess process_;
  bool hasArrived_ = false;
  bool isLost_ = false;
};

}  // namespace shardlens
