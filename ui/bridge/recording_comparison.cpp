#include "ui/bridge/recording_comparison.h"

#include "core/trace/merge/trace_reader.h"

#include <QPromise>
#include <QThreadPool>
#include <exception>

namespace shardlens {
namespace {

struct GivenUp {};

template <class IsWanted>
Result<ComparedRecordings> compareAt(const std::string& leftPath, const std::string& rightPath,
                                     const IsWanted& isWanted) {
  const auto goOn = [&isWanted](auto&&...) {
    if (!isWanted()) {
      throw GivenUp();
    }
  };
  const auto left = TraceReader::open({leftPath}, goOn);
  if (!left) {
    return tl::unexpected(left.error());
  }
  const auto right = TraceReader::open({rightPath}, goOn);
  if (!right) {
    return tl::unexpected(right.error());
  }
  ComparedRecordings result;
  const auto pairs = pairSteps((*left)->journal(), (*right)->journal());
  for (const StepPair& pair : pairs) {
    ++(pair.left && pair.right ? result.steps : pair.left ? result.leftSteps : result.rightSteps);
  }
  compareRuns((*left)->journal(), (*right)->journal(), pairs, [&](const RunDifference& difference) {
    goOn();
    ++result.all;
    if (result.differences.size() < ComparedRecordings::kMost) {
      result.differences.push_back(difference);
    }
  });
  return result;
}

}  // namespace

RecordingComparison::RecordingComparison(const QString& left, const QString& right) {
  connect(&watcher_, &QFutureWatcher<Outcome>::finished, this, &RecordingComparison::finished);
  const auto promise = std::make_shared<QPromise<Outcome>>();
  watcher_.setFuture(promise->future());
  QThreadPool::globalInstance()->start(
      [promise, left = left.toStdString(), right = right.toStdString()] {
        promise->start();
        const auto isWanted = [&promise] { return !promise->isCanceled(); };
        try {
          promise->addResult(
              std::make_shared<Result<ComparedRecordings>>(compareAt(left, right, isWanted)));
        } catch (const GivenUp&) {
        } catch (const std::exception& problem) {
          promise->addResult(std::make_shared<Result<ComparedRecordings>>(fail(problem.what())));
        }
        promise->finish();
      });
}

RecordingComparison::~RecordingComparison() {
  watcher_.disconnect(this);
  watcher_.cancel();
}

void RecordingComparison::finished() {
  const Outcome outcome = watcher_.result();
  if (*outcome) {
    Q_EMIT compared(**outcome);
  } else {
    Q_EMIT failed(QString::fromStdString(outcome->error().message));
  }
}

}  // namespace shardlens
