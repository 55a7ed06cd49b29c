#include "ui/bridge/recording_comparison.h"

#include "core/trace/merge/trace_reader.h"
#include "ui/bridge/named_paths.h"

namespace shardlens {
namespace {

Result<ComparedRecordings> compareAt(const Paths& leftPaths, const Paths& rightPaths,
                                     const Progress& progress) {
  const auto left = TraceReader::open(leftPaths, partOf(progress, 0, 0.4));
  if (!left) return tl::unexpected(left.error());
  const auto right = TraceReader::open(rightPaths, partOf(progress, 0.4, 0.8));
  if (!right) return tl::unexpected(right.error());
  ComparedRecordings result;
  const auto pairs = pairSteps((*left)->journal(), (*right)->journal());
  for (const StepPair& pair : pairs) {
    ++(pair.left && pair.right ? result.steps : pair.left ? result.leftSteps : result.rightSteps);
  }
  compareRuns((*left)->journal(), (*right)->journal(), pairs, [&](const RunDifference& difference) {
    progress(0.9);
    ++result.all;
    if (result.differences.size() < ComparedRecordings::kMost) {
      result.differences.push_back(difference);
    }
  });
  return result;
}

}  // namespace

RecordingComparison::RecordingComparison(const QStringList& left, const QStringList& right)
    : result_(std::make_shared<ComparedRecordings>()),
      task_(left.front().toStdString(), [into = result_, left = toPaths(left),
                                         right = toPaths(right)](const Progress& progress) {
        return compareAt(left, right, progress).map([&](ComparedRecordings&& result) {
          *into = std::move(result);
        });
      }) {
  connect(&task_, &BackgroundTask::failed, this, &RecordingComparison::failed);
  connect(&task_, &BackgroundTask::finished, this, [this] { Q_EMIT compared(*result_); });
}

}  // namespace shardlens
