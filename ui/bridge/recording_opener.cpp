#include "ui/bridge/recording_opener.h"

#include "ui/bridge/named_paths.h"

#include <utility>

namespace shardlens {
namespace {

constexpr EventId kIndexed = 64 * kBlockEvents;  // between two words of progress
constexpr double kRead = 0.5;                    // of the time, then the index is made

Result<OpenedRecording> openRecordingsAt(const Paths& paths, const Progress& progress) {
  auto reader = TraceReader::open(paths, partOf(progress, 0, kRead));
  if (!reader) {
    return tl::unexpected(reader.error());
  }
  OpenedRecording opened{std::move(*reader), nullptr};
  const Journal& journal = opened.reader->journal();
  opened.states = std::make_unique<StateIndex>(journal);
  const auto index = partOf(progress, kRead, 1);
  while (opened.states->takeIn(kIndexed)) {
    index(static_cast<double>(opened.states->size()) / journal.size());
  }
  return opened;
}

}  // namespace

RecordingOpener::RecordingOpener(const QStringList& paths)
    : recording_(std::make_shared<OpenedRecording>()),
      task_(paths.front().toStdString(),
            [into = recording_, paths = toPaths(paths)](const Progress& progress) {
              return openRecordingsAt(paths, progress).map([&](OpenedRecording&& opened) {
                *into = std::move(opened);
              });
            }) {
  connect(&task_, &BackgroundTask::progressed, this, &RecordingOpener::progressed);
  connect(&task_, &BackgroundTask::failed, this, &RecordingOpener::failed);
  connect(&task_, &BackgroundTask::finished, this, [this] { Q_EMIT opened(*recording_); });
}

}  // namespace shardlens
