#pragma once

#include "core/compare/difference_places.h"
#include "core/compare/run_differences.h"
#include "ui/bridge/background_task.h"
#include "ui/bridge/recording_source.h"

#include <QObject>
#include <memory>
#include <optional>
#include <vector>

namespace shardlens {

// The differences between two recordings.
struct ComparedRecordings {
  static constexpr std::size_t kMost = 10'000;

  std::vector<RunDifference> differences;  // the first kMost differences
  std::size_t all = 0;                     // number of all differences
  int steps = 0;                           // number of steps in both recordings
  int leftSteps = 0;                       // number of steps only in the left recording
  int rightSteps = 0;
  EventPairs pairs;
  DifferencePlaces places;  // of all differences
  EventId leftSize = 0;     // number of events compared
  EventId rightSize = 0;
};

// Reads two recordings and compares them on another thread. `tolerance` replaces that of each
// dtype. The destructor cancels the comparison without waiting.
class RecordingComparison final : public QObject {
  Q_OBJECT

 public:
  RecordingComparison(const RecordingSource& left, const RecordingSource& right,
                      const std::optional<Tolerance>& tolerance = {});

 Q_SIGNALS:
  void progressed(int percent);
  // Exactly one of these two is emitted, as the last signal.
  void compared(const std::shared_ptr<const shardlens::ComparedRecordings>& result);
  void failed(const QString& message);

 private:
  std::shared_ptr<ComparedRecordings> result_;  // filled in by the task
  BackgroundTask task_;
};

}  // namespace shardlens
