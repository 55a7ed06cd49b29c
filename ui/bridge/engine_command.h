#pragma once

#include <QObject>
#include <QProcess>
#include <memory>

namespace shardlens {

// A command of the engine's that answers and ends, as a process of its own; one that is started
// takes the place of the one before. When this goes, so does the process.
class EngineCommand final : public QObject {
  Q_OBJECT

 public:
  explicit EngineCommand(QObject* parent = nullptr) : QObject(parent) {}
  ~EngineCommand() override;

  enum class Answer { Unwanted, Wanted };
  void start(const QStringList& arguments, Answer answer);
  void cancel();
  bool isRunning() const { return process_ != nullptr; }

 Q_SIGNALS:
  // A line of its standard error, as it comes.
  void told(const QString& line);
  // One of these comes last, unless it is cancelled. It is answered where the engine did what it
  // was asked for, though a step may have been refused.
  void answered(const QByteArray& answer);
  void failed(const QString& message);

 private:
  void hear();
  void end();

  std::unique_ptr<QProcess> process_;
  QByteArray line_;    // that has not ended yet
  QStringList wrong_;  // that it said is wrong
};

}  // namespace shardlens
