// Tests a window that follows the ranks of a job while they record.
#include "app/bench/run_case.h"
#include "core/trace/merge/trace_reader.h"
#include "tests/trace/sample_run.h"
#include "tests/ui/support/window.h"
#include "ui/bridge/document.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QDockWidget>
#include <semaphore>
#include <thread>

namespace shardlens {
namespace {

constexpr RunCase kJob{.ranks = 64, .steps = 8, .tensorParallel = 4};

// Equals a window that opens the recordings when they are complete.
TEST(FollowingRun, ShowsAllRanksWhenTheJobHasEnded) {
  Window on;
  const QString folder = on.path("job");
  ASSERT_TRUE(QDir().mkpath(folder));
  std::binary_semaphore hasBegun(0), isFollowed(0);
  std::int64_t recorded = 0;
  const auto wait = [&](int step) {
    if (step == 1) hasBegun.release();
    if (step == 1) isFollowed.acquire();
  };
  std::jthread job([&] { recorded = recordLiveRun(kJob, folder.toStdString(), wait).value(); });
  hasBegun.acquire();
  const bool isOpen = on.open(folder);
  isFollowed.release();
  ASSERT_TRUE(isOpen) << qPrintable(on.window.lastProblem());
  for (QDockWidget* dock : on.window.findChildren<QDockWidget*>()) dock->show();
  const Document& document = *on.window.document();
  EXPECT_TRUE(document.mayGrow());
  ASSERT_TRUE(QTest::qWaitFor([&] { return !document.mayGrow(); }, 120000));
  job.join();

  const auto whole = TraceReader::open(folder.toStdString()).value();
  expectSame(document.journal(), whole->journal());
  std::int64_t parts = 0;
  for (EventId id = 1; id <= document.journal().size(); ++id) {
    parts += static_cast<std::int64_t>(whole->recordedAt(id).size());
  }
  EXPECT_EQ(parts, recorded);
  const auto size = QStringLiteral(" of %1").arg(document.journal().size());
  EXPECT_TRUE(QTest::qWaitFor([&] { return on.position().endsWith(size); }, 60000))
      << qPrintable(on.position());
  on.window.closeDocument();
}

}  // namespace
}  // namespace shardlens
