#include "core/view/words/rank_roles.h"

#include "core/trace/events/event_names.h"
#include "core/trace/recorder/event_makers.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace shardlens::view {
namespace {

class Roles : public testing::Test {
 protected:
  Roles() {
    recorder_.addSink(journal_);
    recorder_.meta("mesh", "2x2:dp,tp");
    recorder_.meta("hosted", "0-3");
  }
  EventId collective(const char* kind, const char* groups, std::optional<int> root = {}) {
    return recorder_.note(
        makeCollective(recorder_, parseCollective(kind), groups, 0, 96, {.root = root}));
  }
  std::string rolesIn(EventId event) {
    const RankRoles roles(journal_, event);
    std::string texts;
    for (int rank = 0; rank < 4; ++rank) {
      texts += (rank == 0 ? "" : " | ") + std::string(roleText(roles.of(rank)));
    }
    return texts;
  }
  Recorder recorder_;
  Journal journal_;
};

TEST_F(Roles, OfACollectiveAreThoseOfItsGroups) {
  EXPECT_EQ(rolesIn(collective("all_reduce", "0,2")),
            "sends, receives | not a member | sends, receives | not a member");
  EXPECT_EQ(rolesIn(collective("reduce_scatter", "0,2|1,3")),
            "sends, receives | sends, receives | sends, receives | sends, receives");
  EXPECT_EQ(rolesIn(collective("halo_exchange", "0,2")),
            "sends, receives | not a member | sends, receives | not a member");
  // The recording does not have the source of the data.
  EXPECT_EQ(rolesIn(collective("broadcast", "1,2")),
            "not a member | takes part | takes part | not a member");
}

TEST_F(Roles, OfABroadcastNameTheSender) {
  EXPECT_EQ(rolesIn(collective("broadcast", "1,2", 0)),
            "not a member | sends | receives | not a member");
  EXPECT_EQ(rolesIn(collective("scatter", "0-1|3,2", 1)), "receives | sends | sends | receives");
  EXPECT_EQ(rolesIn(collective("scatter", "0-2,3", 3)), "receives | receives | receives | sends");
  EXPECT_EQ(rolesIn(collective("scatter", "0-2", 3)),
            "receives | receives | receives | not a member");
}

// The event of a send or a recv has one member, the rank that called it.
TEST_F(Roles, OfAMessageAreThoseOfItsTwoRanks) {
  const auto message = [&](const char* name, const char* member) {
    Event event = makeCollective(recorder_, CollectiveKind::Other, member, -1, 8, {});
    event.name = recorder_.intern(name);
    return rolesIn(recorder_.note(event));
  };
  EXPECT_EQ(message("send 0->2", "0"), "sends | not a member | receives | not a member");
  EXPECT_EQ(message("recv 2<-0", "2"), "sends | not a member | receives | not a member");
  EXPECT_EQ(message("recv 2<-any", "2"), "not a member | not a member | receives | not a member");
}

TEST_F(Roles, OfLocalWorkAreThoseOfItsRanks) {
  recorder_.setRanks("0-2");
  EXPECT_EQ(rolesIn(recorder_.note(makeCompute(recorder_, "mm"))),
            "computes | computes | computes | not a member");
}

TEST_F(Roles, AreNoneOfAnEventWithoutRanks) {
  EXPECT_EQ(rolesIn(recorder_.note(makeStep(recorder_, "a"))), " |  |  | ");
  EXPECT_EQ(rolesIn(0), " |  |  | ");
  EXPECT_EQ(shortRoleText(RankRole::None), "");
  EXPECT_EQ(shortRoleText(RankRole::Exchanges), "send, recv");
  EXPECT_EQ(shortRoleText(RankRole::Computes), "computes");
}

// Ranks 0 and 1 have joined the all_reduce, rank 2 has not, rank 3 is no member.
TEST_F(Roles, DistinguishWaitingFromMissingRanks) {
  const EventId reduce = collective("all_reduce", "0-2");
  const EventId work = recorder_.note(makeCompute(recorder_, "mm"));
  journal_.setPartLookup([](EventId id, int rank) -> std::optional<EventPart> {
    if (id == 1) return rank < 2 ? std::optional(EventPart{5, Event::kRunning}) : std::nullopt;
    return rank == 3 ? std::optional(EventPart{}) : std::nullopt;
  });
  EXPECT_EQ(rolesIn(reduce), "waits | waits | never arrived | not a member");
  EXPECT_EQ(rolesIn(work), "not in this event | not in this event | not in this event | computes");
}

// Rank 1 called an all_gather in place of the all_reduce.
TEST_F(Roles, NameTheRankThatCalledAnotherCollective) {
  const EventId reduce = collective("all_reduce", "0-2");
  Event other = makeCollective(recorder_, CollectiveKind::AllGather, "0-2", 0, 96, {});
  other.sequence = journal_.at(reduce).sequence;
  const EventId gather = recorder_.note(other);
  journal_.setPartLookup([](EventId id, int rank) -> std::optional<EventPart> {
    return (rank == 1) == (id == 2) ? std::optional(EventPart{5, 5}) : std::nullopt;
  });
  EXPECT_EQ(rolesIn(reduce), "sends, receives | called another | sends, receives | not a member");
  EXPECT_EQ(rolesIn(gather),
            "not in this event | called another | not in this event | not a member");
}

TEST_F(Roles, ADeviceIsKnownFromTheEventsBefore) {
  recorder_.meta("hosted", "1");
  const EventId before = recorder_.note(makeStep(recorder_, "a"));
  recorder_.setDevice("cuda:1 stream 7");
  const EventId at = recorder_.note(makeStep(recorder_, "b"));
  recorder_.setDevice("");
  const EventId after = recorder_.note(makeStep(recorder_, "c"));
  EXPECT_EQ(deviceNear(journal_, before, 1), "");
  EXPECT_EQ(deviceNear(journal_, at, 1), "cuda:1");
  EXPECT_EQ(deviceNear(journal_, after, 1), "cuda:1");
  EXPECT_EQ(deviceNear(journal_, at, 0), "");  // rank 0 is in another process
  EventId last = after;
  for (int i = 0; i < 62; ++i) last = recorder_.note(makeStep(recorder_, "d"));
  EXPECT_EQ(deviceNear(journal_, last, 1), "cuda:1");
  last = recorder_.note(makeStep(recorder_, "d"));
  EXPECT_EQ(deviceNear(journal_, last, 1), "");  // too far back
  EXPECT_EQ(deviceNear(Journal(), 0, 1), "");
}

}  // namespace
}  // namespace shardlens::view
