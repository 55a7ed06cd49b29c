#pragma once

#include "core/trace/journal/journal.h"
#include "ui/bridge/background_task.h"

#include <QStringList>

namespace shardlens {

// Runs `work` on another thread with its own copy of the recording's journal, which is read from
// the files. The window's journal may grow meanwhile. `recordings` must not be empty.
std::unique_ptr<BackgroundTask> withRecording(
    const QStringList& recordings,
    std::function<Result<void>(const Journal& journal, const Progress& progress)> work);

}  // namespace shardlens
