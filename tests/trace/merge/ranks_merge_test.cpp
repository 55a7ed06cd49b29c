#include "core/trace/merge/ranks_merge.h"

#include "core/trace/events/packed_events.h"
#include "tests/trace/heap_in_use.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace shardlens {
namespace {

constexpr int kProcesses = 128;

// The processes of a run, merged. The first two have some 20 blocks of events.
class ManyProcesses {
 public:
  ManyProcesses() : journals_(kProcesses) {
    std::vector<const Journal*> all;
    for (int rank = 0; rank < kProcesses; ++rank) {
      Journal& journal = journals_[static_cast<std::size_t>(rank)];
      journal.onMeta("hosted", std::to_string(rank));
      journal.onString(1, "step");
      journal.onString(2, std::to_string(rank));
      const EventId events = rank < 2 ? 20 * kBlockEvents : 1;
      for (EventId id = 1; id <= events; ++id) {
        Event event;
        event.kind = EventKind::Operator;
        event.name = 1;
        event.ranks = 2;
        journal.onEvent(id, event, {});
      }
      all.push_back(&journal);
    }
    merge_.emplace(all);
    merge_->finish(std::numeric_limits<EventId>::max());
  }
  const Journal& journal() const { return merge_->journal(); }

 private:
  std::vector<Journal> journals_;
  std::optional<JournalMerge> merge_;
};

TEST(RanksMerge, HasTheEventsOfItsRanks) {
  const ManyProcesses run;
  const auto merge = RanksMerge::of(run.journal(), {0, 1});
  ASSERT_NE(merge, nullptr);
  EXPECT_EQ(merge->journal().size(), 20 * kBlockEvents);
  EXPECT_EQ(merge->journal().meta("hosted"), "0,1");
  EXPECT_EQ(merge->wholeEvent(20 * kBlockEvents), 20 * kBlockEvents);
  EXPECT_EQ(merge->wholeEvent(0), 0U);
  EXPECT_EQ(RanksMerge::of(run.journal(), {kProcesses}), nullptr);
}

// The journals of a run cache decompressed blocks, as many as fit into the memory of all.
TEST(RanksMerge, LeavesNoMoreInMemory) {
  const ManyProcesses run;
  const std::size_t before = heapInUse();
  for (const int rank : {0, 2}) {
    ASSERT_NE(RanksMerge::of(run.journal(), {rank, rank + 1}), nullptr);
  }
  EXPECT_LT(heapInUse(), before + kBlockEvents * sizeof(Event));
}

}  // namespace
}  // namespace shardlens
