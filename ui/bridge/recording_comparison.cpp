#include "ui/bridge/recording_comparison.h"

#include "core/trace/merge/trace_reader.h"

#include <utility>

namespace shardlens {
namespace {

Result<ComparedRecordings> compareAt(const RecordingSource& leftSource,
                                     const RecordingSource& rightSource,
                                     const std::optional<Tolerance>& tolerance,
                                     const Progress& progress) {
  const bool isSame = leftSource == rightSource;  // read once in this case
  const auto left = openSource(leftSource, partOf(progress, 0, 0.25));
  if (!left) return tl::unexpected(left.error());
  auto other = isSame ? Result<std::unique_ptr<TraceReader>>()
                      : openSource(rightSource, partOf(progress, 0.25, 0.5));
  if (!other) return tl::unexpected(other.error());
  const Journal& ours = (*left)->journal();
  const Journal& theirs = isSame ? ours : (*other)->journal();
  ComparedRecordings result;
  result.leftSize = ours.size();
  result.rightSize = theirs.size();
  const auto steps = pairSteps(ours, theirs);
  for (const StepPair& pair : steps) {
    ++(pair.left && pair.right ? result.steps : pair.left ? result.leftSteps : result.rightSteps);
  }
  result.pairs = pairEvents(ours, theirs, steps, partOf(progress, 0.5, 0.6));
  std::vector<DifferencePlaces::Place> events;
  compareRuns(
      ours, theirs, steps, result.pairs,
      [&](const RunDifference& difference) {
        ++result.all;
        events.push_back({difference.left, difference.right});
        if (result.differences.size() < ComparedRecordings::kMost) {
          result.differences.push_back(difference);
        }
      },
      partOf(progress, 0.6, 1), tolerance);
  result.places = DifferencePlaces(ours, theirs, result.pairs, std::move(events));
  return result;
}

}  // namespace

RecordingComparison::RecordingComparison(const RecordingSource& left, const RecordingSource& right,
                                         const std::optional<Tolerance>& tolerance)
    : result_(std::make_shared<ComparedRecordings>()),
      task_(left.paths.front().toStdString(), [into = result_, left, right,
                                               tolerance](const Progress& progress) {
        return compareAt(left, right, tolerance, progress).map([&](ComparedRecordings&& result) {
          *into = std::move(result);
        });
      }) {
  connect(&task_, &BackgroundTask::progressed, this, &RecordingComparison::progressed);
  connect(&task_, &BackgroundTask::failed, this, &RecordingComparison::failed);
  connect(&task_, &BackgroundTask::finished, this, [this] { Q_EMIT compared(result_); });
}

}  // namespace shardlens
