#pragma once

#include "core/compare/run_differences.h"

#include <QFutureWatcher>
#include <QObject>
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
};

// Reads two recordings, or folders of them, and compares them on another thread. When this goes,
// nobody waits for the rest.
class RecordingComparison final : public QObject {
  Q_OBJECT

 public:
  RecordingComparison(const QString& left, const QString& right);
  ~RecordingComparison() override;

 Q_SIGNALS:
  // One of these comes.
  void compared(const shardlens::ComparedRecordings& result);
  void failed(const QString& message);

 private:
  using Outcome = std::shared_ptr<Result<ComparedRecordings>>;

  void finished();

  QFutureWatcher<Outcome> watcher_;
};

}  // namespace shardlens
