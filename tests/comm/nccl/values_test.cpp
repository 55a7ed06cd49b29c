#include "tests/comm/nccl/ranks_on_fakes.h"

#include <gtest/gtest.h>

#include <map>

namespace shardlens {
namespace {

using Groups = std::vector<std::vector<int>>;

// Tests the results of every collective for several layouts and groupings: 4 ranks in groups within
// or across the GPUs, in any order, and 6 ranks on GPUs with unequal numbers of ranks. Powers of
// ten show which ranks took part.
class Values : public testing::TestWithParam<Layout> {
 protected:
  void TearDown() override {
    EXPECT_EQ(gpus_.problems(), std::vector<std::string>());
    ranks_ = nullptr;
    EXPECT_EQ(gpus_.alive(), 0) << "something was not released";
  }

  int count() const { return GetParam().ranks; }
  std::vector<int> hosted() const { return ranksUpTo(count()); }
  std::vector<Groups> groupings() const {
    if (count() == 4) {
      return {{{0, 1, 2, 3}}, {{0, 1}, {2, 3}}, {{0, 2}, {1, 3}}, {{3, 0, 2, 1}}, {{0}, {1, 2, 3}}};
    }
    return {{{0, 1, 2, 3, 4, 5}}, {{0, 5}, {1, 2, 3, 4}}, {{5, 1, 3}, {4, 2, 0}}};
  }
  // Calls `test` for each grouping, with the groups and, by rank, the group of that rank.
  template <class Test>
  void forEveryGrouping(Test test) {
    for (const auto& groups : groupings()) {
      Groups groupOf(static_cast<std::size_t>(count()));
      for (const auto& group : groups) {
        for (const int rank : group) groupOf[static_cast<std::size_t>(rank)] = group;
      }
      test(GroupSet{"tp", 0, groups}, groupOf);
    }
  }

  void finish() {
    ranks_->synchronize();
    gpus_.finish();
  }

  FakeGpus gpus_{6};
  std::unique_ptr<NcclCollectives> ranks_ = join(gpus_, GetParam());
};

std::int32_t power(int rank) {
  std::int32_t value = 1;
  for (int i = 0; i < rank; ++i) value *= 10;
  return value;
}

Rows blank(const Rows& like) {
  Rows rows;
  for (const auto& row : like) rows.emplace_back(row.size(), -1);
  return rows;
}

// Returns the items from one member to another. Their number depends on both; it is 0 from a rank
// to the one below it unless `even`.
Row piece(int from, int to, bool even) {
  const int items = even ? 2 : (from - to + 4) % 3 + (from == to + 1 ? -2 : 0);
  return Row(static_cast<std::size_t>(std::max(items, 0)), 10 * from + to);
}

std::int32_t sumOver(const std::vector<int>& members) {
  std::int32_t sum = 0;
  for (const int member : members) sum += power(member);
  return sum;
}

TEST_P(Values, AllReduceAddsUpEachGroup) {
  forEveryGrouping([&](const GroupSet& groups, const Groups& groupOf) {
    Rows in, out, want;
    for (const int rank : hosted()) {
      const auto& group = groupOf[static_cast<std::size_t>(rank)];
      in.push_back({power(rank), -power(rank), 1});
      out.push_back({7, 7, 7});
      want.push_back({sumOver(group), -sumOver(group), static_cast<std::int32_t>(group.size())});
    }
    const Rows before = in;
    const auto sum = reduceOf(gpus_, ReduceOp::Sum);
    ranks_->allReduce(groups, hosted(), blocksOf(in), blocksOf(out), sum);
    finish();
    EXPECT_EQ(in, before);
    EXPECT_EQ(out, want);
    ranks_->allReduce(groups, hosted(), blocksOf(in), blocksOf(in), sum);
    finish();
    EXPECT_EQ(in, want) << "in place";
  });
}

TEST_P(Values, AllReduceSupportsOperationsThatNcclLacks) {
  forEveryGrouping([&](const GroupSet& groups, const Groups& groupOf) {
    Rows bits, averages, wantBits, wantAverages;
    for (const int rank : hosted()) {
      const auto& group = groupOf[static_cast<std::size_t>(rank)];
      bits.push_back({1 << rank});
      averages.push_back({static_cast<std::int32_t>(group.size()) * power(rank)});
      std::int32_t set = 0;
      for (const int member : group) set |= 1 << member;
      wantBits.push_back({set});
      wantAverages.push_back({sumOver(group)});
    }
    ranks_->allReduce(groups, hosted(), blocksOf(bits), blocksOf(bits),
                      reduceOf(gpus_, ReduceOp::Bxor));
    ranks_->allReduce(groups, hosted(), blocksOf(averages), blocksOf(averages),
                      reduceOf(gpus_, ReduceOp::Avg));
    finish();
    EXPECT_EQ(bits, wantBits);
    EXPECT_EQ(averages, wantAverages);
  });
}

// Ranks on one GPU may share a buffer for their common result.
TEST_P(Values, AllReduceFillsSharedBuffers) {
  forEveryGrouping([&](const GroupSet& groups, const Groups& groupOf) {
    Rows in, out, want;
    Blocks into;
    std::map<std::pair<int, std::vector<int>>, std::size_t> shared;
    out.reserve(6);
    for (const int rank : hosted()) {
      const auto& group = groupOf[static_cast<std::size_t>(rank)];
      in.push_back({power(rank), 1});
      const auto [known, isNew] = shared.try_emplace({ranks_->device(rank), group}, out.size());
      if (isNew) {
        out.push_back({7, 7});
        want.push_back({sumOver(group), static_cast<std::int32_t>(group.size())});
      }
      into.push_back({out[known->second].data(), 8});
    }
    ranks_->allReduce(groups, hosted(), blocksOf(in), into, reduceOf(gpus_, ReduceOp::Sum));
    finish();
    EXPECT_EQ(out, want);
  });
}

TEST_P(Values, AllGatherBringsAllToAll) {
  for (const bool even : {true, false}) {
    forEveryGrouping([&](const GroupSet& groups, const Groups& groupOf) {
      Rows in;
      std::vector<Rows> out, want;
      for (const int rank : hosted()) {
        in.push_back(piece(rank, 9, even));
        auto& rows = want.emplace_back();
        for (const int member : groupOf[static_cast<std::size_t>(rank)]) {
          rows.push_back(piece(member, 9, even));
        }
        out.push_back(blank(rows));
      }
      ranks_->allGather(groups, hosted(), blocksOf(in), blocksOf(out));
      finish();
      EXPECT_EQ(out, want);
    });
  }
}

TEST_P(Values, ReduceScatterGivesEachMemberItsPart) {
  for (const bool even : {true, false}) {
    for (const auto op : {ReduceOp::Sum, ReduceOp::Bxor}) {
      forEveryGrouping([&](const GroupSet& groups, const Groups& groupOf) {
        std::vector<Rows> in;
        Rows out, want;
        for (const int rank : hosted()) {
          const auto& group = groupOf[static_cast<std::size_t>(rank)];
          auto& rows = in.emplace_back();
          for (const int member : group) {
            const auto items = static_cast<std::size_t>(even ? 2 : member % 3);
            rows.emplace_back(items, op == ReduceOp::Sum ? power(rank) + member : 1 << rank);
          }
          std::int32_t result = 0;
          for (const int member : group) {
            result += op == ReduceOp::Sum ? power(member) + rank : 1 << member;
          }
          want.emplace_back(static_cast<std::size_t>(even ? 2 : rank % 3), result);
        }
        out = blank(want);
        ranks_->reduceScatter(groups, hosted(), blocksOf(in), blocksOf(out), reduceOf(gpus_, op));
        finish();
        EXPECT_EQ(out, want);
      });
    }
  }
}

TEST_P(Values, AllToAllSwapsUnevenPieces) {
  for (const bool even : {true, false}) {
    forEveryGrouping([&](const GroupSet& groups, const Groups& groupOf) {
      std::vector<Rows> in, out, want;
      for (const int rank : hosted()) {
        auto& sent = in.emplace_back();
        auto& received = want.emplace_back();
        for (const int member : groupOf[static_cast<std::size_t>(rank)]) {
          sent.push_back(piece(rank, member, even));
          received.push_back(piece(member, rank, even));
        }
        out.push_back(blank(received));
      }
      ranks_->allToAll(groups, hosted(), blocksOf(in), blocksOf(out));
      finish();
      EXPECT_EQ(out, want);
    });
  }
}

TEST_P(Values, OneMemberGivesToAll) {
  forEveryGrouping([&](const GroupSet& groups, const Groups& groupOf) {
    for (const int root : {0, static_cast<int>(groups.groups.back().size()) - 1}) {
      if (groups.groups.front().size() <= static_cast<std::size_t>(root)) continue;
      Rows in, out, wantAll, wantPart;
      std::vector<Rows> pieces;
      for (const int rank : hosted()) {
        const auto& group = groupOf[static_cast<std::size_t>(rank)];
        const int from = group[static_cast<std::size_t>(root)];
        in.push_back({rank, power(rank)});
        wantAll.push_back({from, power(from)});
        auto& sent = pieces.emplace_back();
        for (const int member : group) sent.push_back(piece(rank, member, /*even=*/false));
        wantPart.push_back(piece(from, rank, /*even=*/false));
      }
      out = blank(wantAll);
      ranks_->broadcast(groups, hosted(), root, blocksOf(in), blocksOf(out));
      finish();
      EXPECT_EQ(out, wantAll);
      out = blank(wantPart);
      ranks_->scatter(groups, hosted(), root, blocksOf(pieces), blocksOf(out));
      finish();
      EXPECT_EQ(out, wantPart);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(OfLayouts, Values,
                         testing::Values(Layout{4, 4}, Layout{4, 2}, Layout{4, 1}, Layout{4, 3},
                                         Layout{6, 4}, Layout{6, 6}),
                         [](const auto& info) { return info.param.name(); });

}  // namespace
}  // namespace shardlens
