#include "tests/comm/nccl/ranks_on_fakes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <barrier>
#include <thread>

namespace shardlens {
namespace {

using Places = std::vector<GpuPlace>;

// Runs processes as threads, each with its own fake GPUs. The GPUs have different device numbers,
// although those of real processes that see one GPU each are equal.
void onProcesses(int count, FakeGpus& gpus, const Places& places,
                 const std::function<void(int process, NcclCollectives&)>& body) {
  std::barrier exchanged(count);
  std::vector<std::string> texts(static_cast<std::size_t>(count));
  std::vector<std::thread> threads;
  for (int process = 0; process < count; ++process) {
    threads.emplace_back([&, process] {
      NcclHooks hooks;
      hooks.copyBlocks = gpus.copyKernel();
      hooks.allGatherStrings = [&, process](const std::string& mine) {
        texts[static_cast<std::size_t>(process)] = mine;
        exchanged.arrive_and_wait();
        return texts;
      };
      auto ranks = NcclCollectives::join(gpus.api(), places, process, hooks);
      ASSERT_TRUE(ranks) << ranks.error().message;
      body(process, **ranks);
    });
  }
  for (auto& thread : threads) thread.join();
}

std::vector<int> hostedBy(int process, const Places& places) {
  std::vector<int> hosted;
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    if (places[rank].process == process) hosted.push_back(static_cast<int>(rank));
  }
  return hosted;
}

class OnProcesses : public testing::TestWithParam<Places> {};

// Both groups extend over several processes. Tests sums, and pieces of unequal lengths that are
// gathered and exchanged.
TEST_P(OnProcesses, RanksExchangeAsInOne) {
  const auto& places = GetParam();
  FakeGpus gpus(4);
  const GroupSet groups{"dp", 0, {{0, 2}, {1, 3}}};
  onProcesses(places.back().process + 1, gpus, places, [&](int process, NcclCollectives& ranks) {
    const auto hosted = hostedBy(process, places);
    const auto other = [](int rank) { return (rank + 2) % 4; };
    Rows sums, pieces, wantSums, wantSwapped;
    std::vector<Rows> sent, swapped, gathered, wantGathered;
    const auto piece = [](int from, int to) {
      return Row(static_cast<std::size_t>(from == 3 ? 0 : 1 + to % 2), 10 * from + to);
    };
    for (const int rank : hosted) {
      sums.push_back({rank, 1});
      wantSums.push_back({rank + other(rank), 2});
      const auto members = rank % 2 == 0 ? std::vector{0, 2} : std::vector{1, 3};
      sent.push_back({piece(rank, members[0]), piece(rank, members[1])});
      pieces.push_back(piece(rank, 0));
      auto& letters = swapped.emplace_back();
      auto& all = gathered.emplace_back();
      auto& expected = wantGathered.emplace_back();
      for (const int member : members) {
        letters.emplace_back(piece(member, rank).size());
        all.emplace_back(piece(member, 0).size());
        expected.push_back(piece(member, 0));
      }
    }
    for (int again = 0; again < 3; ++again) {
      auto values = sums;
      ranks.allReduce(groups, hosted, blocksOf(values), blocksOf(values),
                      reduceOf(gpus, ReduceOp::Sum));
      ranks.allToAll(groups, hosted, blocksOf(sent), blocksOf(swapped));
      ranks.allGather(groups, hosted, blocksOf(pieces), blocksOf(gathered));
      ranks.synchronize();
      gpus.finish();
      EXPECT_EQ(values, wantSums);
      EXPECT_EQ(gathered, wantGathered);
      for (std::size_t i = 0; i < hosted.size(); ++i) {
        const int rank = hosted[i];
        const std::size_t from = rank < 2 ? 1 : 0;  // index of the other rank in the group
        EXPECT_EQ(swapped[i][from], piece(other(rank), rank));
        EXPECT_EQ(swapped[i][1 - from], piece(rank, rank));
      }
    }
  });
  EXPECT_THAT(gpus.problems(), testing::IsEmpty());
  EXPECT_EQ(gpus.alive(), 0);
}

INSTANTIATE_TEST_SUITE_P(OfFourRanks, OnProcesses,
                         testing::Values(Places{{0, 0}, {0, 0}, {1, 1}, {1, 1}},
                                         Places{{0, 0}, {0, 1}, {1, 2}, {1, 3}},
                                         Places{{0, 0}, {1, 1}, {2, 2}, {3, 3}},
                                         Places{{0, 0}, {0, 0}, {0, 1}, {1, 2}}));

}  // namespace
}  // namespace shardlens
