#pragma once

#include "core/trace/merge/run_summary.h"
#include "core/trace/merge/trace_reader.h"
#include "core/trace/snapshot/state_index.h"
#include "ui/bridge/background_task.h"
#include "ui/bridge/recording_source.h"

#include <QObject>
#include <memory>

namespace shardlens {

// An opened recording and its index. Several windows may share it. The last owner releases it on
// another thread, because freeing the memory of a large recording takes a tenth of a second.
struct OpenedRecording {
  std::unique_ptr<TraceReader> reader;
  std::unique_ptr<StateIndex> states;  // has indexed all events that were read on opening
};
using SharedRecording = std::shared_ptr<OpenedRecording>;

// Opens a recording, several recordings of a run, or a folder of them, on another thread: a large
// one takes seconds to read and to index. A complete file that is already open and unchanged since
// is shared instead of read again. The destructor cancels the opening without waiting. GUI thread
// only.
class RecordingOpener final : public QObject {
  Q_OBJECT

 public:
  // First: reads the totals of a folder, of a large file or of a file of which some steps are
  // opened before the events, in a fraction of the time. Ask: as First, but if all steps are
  // requested and have more than most() events, waits for readSteps().
  enum class Totals { None, First, Ask };
  // 20 million events: the window needs some 20 s and a GiB for them on many ranks. Tests set less.
  static std::int64_t most();
  static void setMost(std::int64_t events);

  explicit RecordingOpener(RecordingSource source, Totals totals = Totals::None);

  // Returns true from summarized() on if the opener waits for readSteps().
  bool awaitsSteps() const { return awaitsSteps_; }
  // Reads these steps; empty: all. Requires awaitsSteps().
  void readSteps(std::vector<RankRange> steps);

 Q_SIGNALS:
  // The totals; see previewRun(). Not emitted if they are not requested or cannot be read.
  void summarized(const shardlens::RunSummary& summary);
  void progressed(int percent);
  // Exactly one of these two is emitted, as the last signal, never from the constructor.
  void opened(const shardlens::SharedRecording& recording);
  void failed(const QString& message);

 private:
  void summarize(const QString& path);
  void read();

  RecordingSource source_;
  Totals totals_;
  bool awaitsSteps_ = false;
  SharedRecording recording_;             // filled in by the task
  std::unique_ptr<BackgroundTask> task_;  // null: the recording was already open
};

}  // namespace shardlens
