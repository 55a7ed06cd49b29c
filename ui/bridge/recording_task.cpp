#include "ui/bridge/recording_task.h"

#include "core/trace/merge/trace_reader.h"

#include <utility>

namespace shardlens {

std::unique_ptr<BackgroundTask> withRecording(
    const QStringList& recordings,
    std::function<Result<void>(const Journal& journal, const Progress& progress)> work) {
  constexpr double kRead = 0.5;
  std::vector<std::filesystem::path> paths;
  for (const QString& path : recordings) paths.emplace_back(path.toStdString());
  return std::make_unique<BackgroundTask>(
      paths.front().string(), [paths, work = std::move(work)](const Progress& progress) {
        const auto reader = TraceReader::open(paths, partOf(progress, 0, kRead));
        if (!reader) return Result<void>(tl::unexpected(reader.error()));
        return work((*reader)->journal(), partOf(progress, kRead, 1));
      });
}

}  // namespace shardlens
