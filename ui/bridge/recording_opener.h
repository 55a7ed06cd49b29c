#pragma once

#include "core/trace/merge/trace_reader.h"
#include "core/trace/snapshot/state_index.h"

#include <QFutureWatcher>
#include <QObject>
#include <memory>

namespace shardlens {

// A recording that can be looked at.
struct OpenedRecording {
  std::unique_ptr<TraceReader> reader;
  std::unique_ptr<StateIndex> states;  // of all that the reader's journal has
};

// Opens a recording, or a folder of them, on another thread: a large one takes seconds to read and
// to index. When this goes, nobody waits for the rest.
class RecordingOpener final : public QObject {
  Q_OBJECT

 public:
  explicit RecordingOpener(const QString& path);
  ~RecordingOpener() override;

 Q_SIGNALS:
  void progressed(int percent);
  // One of these comes last.
  void opened(shardlens::OpenedRecording& recording);
  void failed(const QString& message);

 private:
  using Outcome = std::shared_ptr<Result<OpenedRecording>>;

  void finished();

  QFutureWatcher<Outcome> watcher_;
};

}  // namespace shardlens
