#pragma once

#include "core/trace/merge/trace_reader.h"
#include "core/trace/snapshot/state_index.h"
#include "ui/bridge/background_task.h"

#include <QObject>
#include <QStringList>
#include <memory>

namespace shardlens {

// A recording that can be looked at, by several windows too: who has it last gives it back on
// another thread, for the memory of a large one takes a tenth of a second.
struct OpenedRecording {
  std::unique_ptr<TraceReader> reader;
  std::unique_ptr<StateIndex> states;  // of all that the reader's journal has
};
using SharedRecording = std::shared_ptr<OpenedRecording>;

// Opens a recording, several of a run, or a folder of them, on another thread: a large one takes
// seconds to read and to index. A file that is open already, and to which nobody has written since,
// is not read again. When this goes, nobody waits for the rest.
class RecordingOpener final : public QObject {
  Q_OBJECT

 public:
  explicit RecordingOpener(const QStringList& paths);

 Q_SIGNALS:
  void progressed(int percent);
  // One of these comes last.
  void opened(const shardlens::SharedRecording& recording);
  void failed(const QString& message);

 private:
  SharedRecording recording_;             // which the task fills in
  std::unique_ptr<BackgroundTask> task_;  // null: it is open already
};

}  // namespace shardlens
