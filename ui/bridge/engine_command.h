#pragma once

#include <QObject>
#include <QProcess>
#include <memory>

namespace shardlens {

// Runs a one-shot command of the engine program as a child process. Starting a command kills the
// previous one. The destructor kills the process and waits until it has ended.
class EngineCommand final : public QObject {
  Q_OBJECT

 public:
  explicit EngineCommand(QObject* parent = nullptr) : QObject(parent) {}
  ~EngineCommand() override;

  enum class Output { Discarded, Captured };  // Discarded: the standard output is discarded
  void start(const QStringList& arguments, Output output);
  void cancel();  // kills the process; no signal is emitted after this
  bool isRunning() const { return process_ != nullptr; }

 Q_SIGNALS:
  // A line of the standard error, as soon as it is complete. Error messages are not emitted here;
  // they become the message of failed().
  void errorLine(const QString& line);
  // Exactly one of these two is emitted, as the last signal, unless the command is cancelled.
  // finished() means that the command ran (exit code 0 or 1), even if a step was refused.
  void finished(const QByteArray& output);
  void failed(const QString& message);

 private:
  void readError();
  void end();

  std::unique_ptr<QProcess> process_;
  QByteArray line_;    // the last, incomplete line of the standard error
  QStringList wrong_;  // error messages received
};

}  // namespace shardlens
