#pragma once

#include "core/trace/journal/journal.h"
#include "ui/bridge/background_task.h"

#include <QStringList>

namespace shardlens {

// Does something with a recording on another thread. It is read anew for that, so that the window's
// own journal may grow meanwhile.
std::unique_ptr<BackgroundTask> withRecording(
    const QStringList& recordings,
    std::function<Result<void>(const Journal& journal, const Progress& progress)> work);

}  // namespace shardlens
