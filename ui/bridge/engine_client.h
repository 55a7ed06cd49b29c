#pragma once

#include "core/protocol/engine_protocol.h"
#include "core/trace/merge/trace_reader.h"
#include "ui/bridge/run_folder.h"

#include <QLocalServer>
#include <QProcess>
#include <QTimer>
#include <memory>
#include <optional>

class QLocalSocket;

namespace shardlens {

// Runs a scenario in an engine, a child process that runs up to the requested position and writes a
// recording. The client follows the recording while it grows. If the engine refuses the scenario,
// hangs or dies, the client does not block, and the events recorded so far stay readable. The
// destructor kills the engine, waits up to 1.5 s for its end, and removes the recording. GUI thread
// only.
class EngineClient final : public QObject {
  Q_OBJECT

 public:
  // Finished: the engine has nothing more to run. Gone: it ended early or could not be started.
  enum class State { Starting, Running, Paused, Finished, Gone };

  static constexpr EventId kToEnd = ~EventId{0};  // for runTo(): run to the end

  explicit EngineClient(QObject* parent = nullptr);
  ~EngineClient() override;

  // Returns the path of the engine program: $SHARDLENS_ENGINE if set, else the file beside this
  // program.
  static QString program();

  // Starts the engine on a scenario file. To be called once. Errors are reported by failed(), after
  // this call returns.
  void start(const QString& scenario);
  // Requests that the engine run until `position` events have happened. While the engine is not
  // paused, one request is kept and sent when it pauses; a newer request replaces it. Does nothing
  // in the states Finished and Gone.
  void runTo(EventId position);
  // Requests that the engine end, and kills it after 1.5 s. failed() follows, unless the engine
  // finishes first. Does nothing in the states Finished and Gone.
  void stop();

  // Reads at once what other programs wrote into the recording (bookmarks). Does nothing while the
  // recording is polled anyway.
  void pollNow();
  const TraceReader* reader() const { return reader_.get(); }  // null until the recording exists

  State state() const { return state_; }
  bool mayGrow() const { return state_ != State::Finished && state_ != State::Gone; }
  QString recording() const { return folder_.filePath(QStringLiteral("run.shardlens")); }
  const Journal* journal() const { return reader_ ? &reader_->journal() : nullptr; }
  qint64 processId() const { return process_.processId(); }  // 0 if the engine is not running

 Q_SIGNALS:
  // Paused and Finished are entered only when everything that the engine recorded has been read.
  void stateChanged();
  void grew();
  // The state is Gone. `message` is a sentence for the user. Emitted at most once.
  void failed(const QString& message);
  // The engine is expected to run, but has neither reported nor recorded anything for 15 s.
  void silent();

 private:
  void connected();
  void readReports();
  void readWords();
  void take(const Report& report);
  void paused();
  void send(const Request& request);
  void ended();
  void reportEnd();
  void abandon(const QString& message);
  void become(State state);
  void refresh();
  void setState(State state);

  RunFolder folder_;
  QLocalServer server_;
  QLocalSocket* socket_ = nullptr;
  QProcess process_;
  std::unique_ptr<TraceReader> reader_;
  std::optional<EventId> waiting_;  // the request to send when the engine pauses
  QTimer follow_;                   // polls the recording while the engine runs
  QTimer patience_;
  State state_ = State::Starting;
  std::optional<State> reported_;  // the next state, set when everything recorded has been read
  bool stopping_ = false;
  QString scenario_;
  QByteArray words_;  // the beginning of the engine's standard error
};

}  // namespace shardlens
