#include "tests/comm/nccl/ranks_on_fakes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <future>
#include <thread>

namespace shardlens {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const GroupSet kPairs{"tp", 1, {{0, 1}, {2, 3}}};

// Returns the message of the NcclFailed that `call` throws, or "none".
template <class Call>
std::string failureOf(Call call) {
  try {
    call();
  } catch (const NcclFailed& failed) {
    return failed.what();
  }
  return "none";
}

void addUp(NcclCollectives& ranks, FakeGpus& gpus, Rows& rows) {
  ranks.allReduce(kPairs, ranksUpTo(4), blocksOf(rows), blocksOf(rows),
                  reduceOf(gpus, ReduceOp::Sum));
  ranks.synchronize();
}

// NCCL reports an error during a wait. All communicators are aborted, first the one that the others
// were split from.
TEST(NcclFailure, OfACollectiveAbortsAllAndNamesIt) {
  FakeGpus gpus(4);
  auto ranks = join(gpus, {4, 4});
  Rows rows(4, Row{1});
  addUp(*ranks, gpus, rows);
  gpus.failAt(5, 2, ncclRemoteError);
  const auto text = failureOf([&] { addUp(*ranks, gpus, rows); });
  EXPECT_THAT(text, HasSubstr("all_reduce over tp: "));
  EXPECT_THAT(text, HasSubstr("remote process exited or there was a network error"));
  EXPECT_THAT(text, HasSubstr("the fake's last words"));
  EXPECT_EQ(gpus.count("ncclCommAbort {0,1,2,3}"), 4);
  EXPECT_EQ(gpus.count("ncclCommAbort {0,1}"), 2);
  EXPECT_EQ(gpus.count("ncclCommAbort {2,3}"), 2);
  const auto calls = gpus.calls();
  EXPECT_EQ(calls[calls.size() - 8], "ncclCommAbort {0,1,2,3} 0 of 4");

  EXPECT_EQ(failureOf([&] { addUp(*ranks, gpus, rows); }), text) << "every later call fails";
  ranks = nullptr;
  EXPECT_EQ(gpus.count("ncclCommDestroy"), 0);
  EXPECT_EQ(gpus.alive(), 0);
  EXPECT_THAT(gpus.problems(), IsEmpty());
}

TEST(NcclFailure, OfTheSecondGpusStartReleasesTheFirst) {
  FakeGpus gpus(2);
  gpus.failInitOf(1, ncclSystemError);
  const auto joined = NcclCollectives::join(gpus.api(), spreadOverGpus(2, 2), 0, {});
  ASSERT_FALSE(joined);
  EXPECT_EQ(joined.error().message,
            "joining: ncclCommInitRankConfig: unhandled system error (the fake's last words)");
  EXPECT_EQ(gpus.count("ncclCommAbort"), 2);
  EXPECT_EQ(gpus.alive(), 0);
}

// The other process never joins. NCCL would wait forever, so the hook reasonToStop() is polled.
TEST(NcclFailure, OfAMissingProcessEndsWhenAHookStopsIt) {
  FakeGpus gpus(1);
  int polls = 0;
  NcclHooks hooks;
  hooks.allGatherStrings = [](const std::string& mine) {
    return std::vector<std::string>{mine, ""};
  };
  hooks.reasonToStop = [&](auto) -> std::optional<std::string> {
    return ++polls < 3 ? std::nullopt : std::optional<std::string>("process 1 has gone");
  };
  const auto joined = NcclCollectives::join(gpus.api(), {{0, 0}, {1, 0}}, 0, hooks);
  ASSERT_FALSE(joined);
  EXPECT_EQ(joined.error().message, "joining: process 1 has gone");
  EXPECT_EQ(gpus.alive(), 0);
}

// The other process makes the first call of another kind. A blocking call would wait for it
// forever, so the call is aborted when a hook gives a reason.
TEST(NcclFailure, OfAFirstCallThatAnotherProcessDoesNotMake) {
  FakeGpus gpus(2);
  const std::vector<GpuPlace> places{{0, 0}, {1, 1}};
  const GroupSet both{"dp", 0, {{0, 1}}};
  std::barrier exchanged(2);
  std::promise<void> stopped;
  std::string texts[2];
  const auto hooksOf = [&](std::size_t process) {
    NcclHooks hooks;
    hooks.allGatherStrings = [&, process](const std::string& mine) {
      texts[process] = mine;
      exchanged.arrive_and_wait();
      return std::vector<std::string>{texts[0], texts[1]};
    };
    return hooks;
  };
  std::thread other([&] {
    auto ranks = NcclCollectives::join(gpus.api(), places, 1, hooksOf(1)).value();
    Rows rows(1, Row{1});
    ranks->broadcast(both, {1}, 0, blocksOf(rows), blocksOf(rows));
    stopped.get_future().wait();
  });
  auto hooks = hooksOf(0);
  std::atomic<bool> broadcast = false;
  hooks.reasonToStop = [&](auto) -> std::optional<std::string> {
    if (!broadcast) return std::nullopt;
    return "process 1 has gone";
  };
  auto ranks = NcclCollectives::join(gpus.api(), places, 0, hooks).value();
  Rows rows(1, Row{1});
  ranks->broadcast(both, {0}, 0, blocksOf(rows), blocksOf(rows));
  broadcast = true;
  EXPECT_EQ(failureOf([&] {
              ranks->allReduce(both, {0}, blocksOf(rows), blocksOf(rows),
                               reduceOf(gpus, ReduceOp::Sum));
            }),
            "all_reduce over dp: process 1 has gone");
  stopped.set_value();
  other.join();
  ranks = nullptr;
  EXPECT_EQ(gpus.alive(), 0);
  EXPECT_THAT(gpus.problems(), IsEmpty());
}

TEST(NcclFailure, OfACollectiveThatAHookStops) {
  FakeGpus gpus(2);
  std::optional<std::string> reason;
  auto ranks = join(gpus, {2, 2}, {.reasonToStop = [&](auto) { return reason; }});
  gpus.failAt(0, 0, ncclSuccess);  // hangs without an error of NCCL
  reason = "the window polls for it";
  Rows rows(2, Row{1});
  EXPECT_EQ(failureOf([&] {
              ranks->broadcast({"dp", 0, {{0, 1}}}, {0, 1}, 0, blocksOf(rows), blocksOf(rows));
              ranks->synchronize();
            }),
            "broadcast over dp: the window polls for it");
  ranks = nullptr;
  EXPECT_EQ(gpus.alive(), 0);
  EXPECT_THAT(gpus.problems(), IsEmpty());
}

}  // namespace
}  // namespace shardlens
