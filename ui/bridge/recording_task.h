#pragma once

#include "core/trace/journal/journal.h"
#include "ui/bridge/background_task.h"
#include "ui/bridge/recording_source.h"

namespace shardlens {

// Runs `work` on another thread with its own copy of the recording's journal, which is read from
// the files. The window's journal may grow meanwhile.
std::unique_ptr<BackgroundTask> withRecording(
    const RecordingSource& source,
    std::function<Result<void>(const Journal& journal, const Progress& progress)> work);

}  // namespace shardlens
