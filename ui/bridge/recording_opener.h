#pragma once

#include "core/trace/merge/trace_reader.h"
#include "core/trace/snapshot/state_index.h"
#include "ui/bridge/background_task.h"

#include <QObject>
#include <QStringList>
#include <memory>

namespace shardlens {

// A recording that can be looked at.
struct OpenedRecording {
  std::unique_ptr<TraceReader> reader;
  std::unique_ptr<StateIndex> states;  // of all that the reader's journal has
};

// Opens a recording, several of a run, or a folder of them, on another thread: a large one takes
// seconds to read and to index. When this goes, nobody waits for the rest.
class RecordingOpener final : public QObject {
  Q_OBJECT

 public:
  explicit RecordingOpener(const QStringList& paths);

 Q_SIGNALS:
  void progressed(int percent);
  // One of these comes last.
  void opened(shardlens::OpenedRecording& recording);
  void failed(const QString& message);

 private:
  std::shared_ptr<OpenedRecording> recording_;  // which the task fills in
  BackgroundTask task_;
};

}  // namespace shardlens
