#pragma once

#include "ui/bridge/run_folder.h"

#include <QObject>
#include <QProcess>

namespace shardlens {

struct FollowReport;

// Follows a run on another machine: a child process copies its recordings into a temporary folder,
// which the window opens like any folder. The destructor kills the child, waits up to 1.5 s for its
// end, and removes the folder. GUI thread only.
class FollowClient final : public QObject {
  Q_OBJECT

 public:
  explicit FollowClient(QObject* parent = nullptr);
  ~FollowClient() override;

  // Starts the child. To be called once. `where` is host and port of the server, "127.0.0.1:7070";
  // `token` is the password that the server expects. Errors are reported by failed().
  void start(const QString& where, const QString& token);
  QString folder() const { return folder_.path(); }

 Q_SIGNALS:
  void arrived();  // the folder contains its first recording
  void lost();     // the connection is lost, once per attempt of the child to reconnect
  void found();    // the child has reconnected after lost()
  // One of these two is emitted, as the last signal. ended(): the run has ended, and its recordings
  // are complete.
  void ended();
  // The child could not be started, was refused by the server, lost the connection for good, or
  // crashed. The recordings copied until then stay in the folder. `message` is a sentence for the
  // user.
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
