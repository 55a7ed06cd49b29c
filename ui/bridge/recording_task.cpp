#include "ui/bridge/recording_task.h"

#include "core/trace/merge/trace_reader.h"
#include "ui/bridge/named_paths.h"

#include <utility>

namespace shardlens {

std::unique_ptr<BackgroundTask> withRecording(
    const RecordingSource& source,
    std::function<Result<void>(const Journal& journal, const Progress& progress)> work) {
  constexpr double kRead = 0.5;
  return std::make_unique<BackgroundTask>(
      source.paths.front().toStdString(), [paths = toPaths(source.paths), steps = source.steps,
                                           work = std::move(work)](const Progress& progress) {
        const auto reader = TraceReader::open(paths, steps, partOf(progress, 0, kRead));
        if (!reader) return Result<void>(tl::unexpected(reader.error()));
        return work((*reader)->journal(), partOf(progress, kRead, 1));
      });
}

}  // namespace shardlens
