#pragma once

#include "ui/bridge/run_folder.h"

#include <QObject>
#include <QProcess>

namespace shardlens {

struct FollowReport;

// Follows a run on another machine: a child process copies its recordings into a temporary folder,
// which the window opens like any folder. The destructor kills the child and removes the folder.
class FollowClient final : public QObject {
  Q_OBJECT

 public:
  explicit FollowClient(QObject* parent = nullptr);
  ~FollowClient() override;

  // Starts the child. `where` is host and port of the server, "127.0.0.1:7070".
  void start(const QString& where, const QString& token);
  QString folder() const { return folder_.path(); }

 Q_SIGNALS:
  void arrived();  // the folder contains its first recording
  void lost();     // the connection is lost, once per attempt of the child to reconnect
  void found();    // the child has reconnected
  void ended();    // the run has ended, and its recordings are complete
  // The child could not be started or ended early. `message` is a sentence for the user.
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
