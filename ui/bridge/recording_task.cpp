#include "ui/bridge/recording_task.h"

#include <utility>

namespace shardlens {

std::unique_ptr<BackgroundTask> withRecording(
    const RecordingSource& source,
    std::function<Result<void>(const Journal& journal, const Progress& progress)> work) {
  constexpr double kRead = 0.5;
  return std::make_unique<BackgroundTask>(
      source.paths.front().toStdString(),
      [source, work = std::move(work)](const Progress& progress) {
        const auto reader = openSource(source, partOf(progress, 0, kRead));
        if (!reader) return Result<void>(tl::unexpected(reader.error()));
        return work((*reader)->journal(), partOf(progress, kRead, 1));
      });
}

}  // namespace shardlens
