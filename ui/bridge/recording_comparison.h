#pragma once

#include "core/compare/difference_places.h"
#include "core/compare/run_differences.h"
#include "ui/bridge/background_task.h"

#include <QObject>
#include <QStringList>
#include <memory>
#include <vector>

namespace shardlens {

// In what two recordings differ.
struct ComparedRecordings {
  static constexpr std::size_t kMost = 10'000;

  std::vector<RunDifference> differences;  // the first of them
  std::size_t all = 0;                     // so many there are
  int steps = 0;                           // in both
  int leftSteps = 0;                       // only in the left one
  int rightSteps = 0;
  EventPairs pairs;
  DifferencePlaces places;  // of all
  EventId leftSize = 0;     // so many events were compared
  EventId rightSize = 0;
};

// Reads two recordings, each a file, a folder or the files of one run, and compares them on another
// thread. When this goes, nobody waits for the rest.
class RecordingComparison final : public QObject {
  Q_OBJECT

 public:
  RecordingComparison(const QStringList& left, const QStringList& right);

 Q_SIGNALS:
  void progressed(int percent);
  // One of these comes last.
  void compared(const std::shared_ptr<const shardlens::ComparedRecordings>& result);
  void failed(const QString& message);

 private:
  std::shared_ptr<ComparedRecordings> result_;  // which the task fills in
  BackgroundTask task_;
};

}  // namespace shardlens
