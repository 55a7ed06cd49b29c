#pragma once

#include "core/trace/merge/trace_reader.h"
#include "core/trace/protocol.h"
#include "ui/bridge/run_folder.h"

#include <QLocalServer>
#include <QProcess>
#include <QTimer>
#include <memory>
#include <optional>

class QLocalSocket;

namespace shardlens {

// Runs a scenario in an engine of its own: a child process that writes a recording, which this
// side reads while it grows, and that goes on only when it is asked to. Whatever the engine does
// (refuse, hang, die), nothing here waits for it, and what it recorded stays readable. When this
// goes, so do the engine and its recording.
class EngineClient final : public QObject {
  Q_OBJECT

 public:
  enum class State { Starting, Running, Paused, Finished, Gone };

  static constexpr EventId kToEnd = ~EventId{0};

  explicit EngineClient(QObject* parent = nullptr);
  ~EngineClient() override;

  // The program next to this one, or what SHARDLENS_ENGINE says.
  static QString program();

  void start(const QString& scenario);
  // Asks for `position` events to have happened. One that still waits is replaced.
  void runTo(EventId position);
  // Asks the engine to end, and ends it when it does not.
  void stop();

  // Takes in at once what others wrote into the recording.
  void lookNow();
  const TraceReader* reader() const { return reader_.get(); }

  State state() const { return state_; }
  bool mayGrow() const { return state_ != State::Finished && state_ != State::Gone; }
  QString recording() const { return folder_.filePath(QStringLiteral("run.shardlens")); }
  const Journal* journal() const { return reader_ ? &reader_->journal() : nullptr; }
  qint64 processId() const { return process_.processId(); }

 Q_SIGNALS:
  void stateChanged();
  void grew();
  // It will not go on: a sentence for the person in front of the window.
  void failed(const QString& message);
  // It has not answered for a while.
  void silent();

 private:
  void connected();
  void readReports();
  void readWords();
  void take(const Report& report);
  void paused();
  void send(const Request& request);
  void ended();
  void giveUpEnded();
  void giveUp(const QString& message);
  void become(State state);
  void refresh();
  void setState(State state);

  RunFolder folder_;
  QLocalServer server_;
  QLocalSocket* socket_ = nullptr;
  QProcess process_;
  std::unique_ptr<TraceReader> reader_;
  std::optional<EventId> waiting_;  // a request that came while another was under way
  QTimer follow_;                   // looks into the recording while the engine runs
  QTimer patience_;
  State state_ = State::Starting;
  std::optional<State> told_;  // what it has become, said when all that it recorded is read
  bool stopping_ = false;
  QString scenario_;
  QByteArray words_;  // what it said on its standard error
};

}  // namespace shardlens
