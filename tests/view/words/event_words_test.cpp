#include "core/view/words/event_words.h"

#include "core/trace/events/event_names.h"
#include "core/trace/recorder/event_makers.h"
#include "core/view/words/collective_wait.h"
#include "core/view/words/detail_words.h"
#include "core/view/words/event_sentences.h"
#include "tests/trace/named_event.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <optional>

namespace shardlens::view {
namespace {

std::string plain(const StyledText& text) {
  std::string all;
  for (const auto& span : text.spans) all += span.text;
  return all;
}

class Words : public testing::Test {
 protected:
  Words() {
    recorder_.addSink(journal_);
    recorder_.meta("mesh", "2x2:dp,tp");
  }
  Recorder recorder_;
  Journal journal_;
};

// The row and the sentence agree: an implicit redistribution is bad if it sends something.
TEST_F(Words, OfAnImplicitRedistributionAreAnAlarmIfItCommunicates) {
  const TensorId x = recorder_.addTensor("x", Spec());
  const auto move = [&](Verdict cause) {
    return makeRedistribute(routeIn(recorder_, "S(0) -> R"), x, cause);
  };
  {
    const Span sends(recorder_, move(Verdict::Implicit));
    recorder_.note(makeCollective(recorder_, CollectiveKind::AllGather, "0,2|1,3", 0, 96, {}));
  }
  recorder_.note(move(Verdict::Implicit));
  {
    const Span redistribution(recorder_, move(Verdict::Explicit));
    recorder_.note(makeCollective(recorder_, CollectiveKind::AllGather, "0,2|1,3", 0, 96, {}));
  }
  const EventSentences sentences(journal_);
  EXPECT_TRUE(isImplicitCommunication(journal_, 1));
  EXPECT_EQ(eventWords(journal_, 1).title, "redistribute x: S(0) → R");
  EXPECT_EQ(eventWords(journal_, 1).note, "implicit");
  EXPECT_EQ(eventWords(journal_, 1).tone, Tone::Bad);
  EXPECT_EQ(sentences.text(1).spans[2], (StyledText::Span{"IMPLICIT", Tone::Bad}));
  EXPECT_EQ(eventWords(journal_, 3).tone, Tone::Quiet);
  EXPECT_EQ(sentences.text(3).spans[2], (StyledText::Span{"implicit", Tone::Warn}));
  EXPECT_EQ(eventWords(journal_, 4).tone, Tone::Quiet);
  EXPECT_EQ(plain(sentences.text(4)), "x: S(0) -> R, explicit");
  EXPECT_EQ(eventWords(journal_, 2).title, "all_gather over dp");
  EXPECT_EQ(plain(sentences.text(2)), "all_gather over dp, ranks {0,2} {1,3}, 96 B sent");
}

TEST_F(Words, OfAHaloExchangeGiveTheReason) {
  recorder_.note(makeCollective(recorder_, CollectiveKind::HaloExchange, "0,1", 0, 96,
                                {.axis = "sp", .why = "windows of 3"}));
  EXPECT_EQ(plain(EventSentences(journal_).text(1)),
            "halo_exchange over sp, ranks {0,1}, 96 B sent: windows of 3");
}

// The recorder knows the bytes of a message at its sender only.
TEST_F(Words, OfAMessageHaveTheBytesOfItsSend) {
  for (const auto& [name, member] : {std::pair("send 0->1", "0"), std::pair("recv 1<-0", "1")}) {
    const bool isSend = *member == '0';
    Event event = makeCollective(recorder_, CollectiveKind::Other, member, -1, isSend ? 8 : 0, {});
    event.name = recorder_.intern(name);
    recorder_.note(event);
  }
  const EventSentences sentences(journal_);
  EXPECT_EQ(eventWords(journal_, 1).note, "8 B sent");
  EXPECT_EQ(eventWords(journal_, 2).note, "");
  EXPECT_EQ(plain(sentences.text(1)), "send 0->1, ranks {0}, 8 B sent");
  EXPECT_EQ(plain(sentences.text(2)), "recv 1<-0, ranks {1}");
}

TEST_F(Words, AreThereForTensorsThatAreNot) {
  recorder_.note(makeMaskEvent(recorder_, {}, 1, 1, {.kind = EventKind::MaskApplied}));
  recorder_.note(makeResult(recorder_, "", 0, 0, 0));
  EXPECT_EQ(eventWords(journal_, 1).title, "mask #1 applied");
  EXPECT_EQ(eventWords(journal_, 2).title, "result ?");
  recorder_.note(
      makeResult(recorder_, "t", recorder_.addTensor("t", {DType::Float32, {2}, {}}), 8, 0));
  EXPECT_EQ(eventWords(journal_, 3).title, "result t");  // of a plain tensor
  EXPECT_EQ(plain(EventSentences(journal_).text(2)), "_");
}

// After the process of a rank died, the remaining ranks record events without it.
TEST_F(Words, NameTheRanksThatDidNotCome) {
  recorder_.meta("mesh", "4:tp");
  recorder_.meta("hosted", "0-3");
  recorder_.note(makeStep(recorder_, "a"));
  recorder_.note(makeStep(recorder_, "b"));
  recorder_.note(makeError(recorder_, "refused"));
  recorder_.note(makeCollective(recorder_, CollectiveKind::AllReduce, "0,1,2,3", 0, 8, {}));
  journal_.setPartLookup([](EventId id, int rank) {
    return id == 1 || rank < 2 ? std::optional(EventPart{}) : std::nullopt;
  });
  EXPECT_EQ(eventWords(journal_, 1).note, "");
  EXPECT_EQ(eventWords(journal_, 2).note, "without ranks 2, 3");
  EXPECT_EQ(eventWords(journal_, 2).tone, Tone::Quiet) << "another stage runs other steps";
  EXPECT_EQ(eventWords(journal_, 3).note, "without ranks 2, 3");
  EXPECT_EQ(eventWords(journal_, 3).tone, Tone::Bad);
  EXPECT_EQ(eventWords(journal_, 4).note, "without ranks 2, 3");
  EXPECT_EQ(eventWords(journal_, 4).tone, Tone::Bad);
}

// Two process groups, {0, 1} and {2, 3}. Rank 1 does not join, and rank 3 calls another collective.
// Rank 0 still waits, rank 2 has given up.
TEST_F(Words, NameTheWaitingAndTheAwaitedRanks) {
  recorder_.meta("mesh", "4:tp");
  recorder_.meta("hosted", "0-3");
  recorder_.note(
      makeCollective(recorder_, CollectiveKind::AllReduce, "0,1|2,3", 0, 8, {.axis = "tp"}));
  Event other =
      makeCollective(recorder_, CollectiveKind::AllGather, "0,1|2,3", 0, 8, {.axis = "tp"});
  other.sequence = 1;
  recorder_.note(other);
  recorder_.note(
      makeCollective(recorder_, CollectiveKind::AllToAll, "0,1|2,3", 0, 8, {.axis = "tp"}));
  std::map<std::pair<EventId, int>, EventPart> timings = {{{1, 0}, {1400000, Event::kRunning}},
                                                          {{1, 2}, {900000, 5}},
                                                          {{2, 3}, {7, 5}},
                                                          {{3, 0}, {1, 1}},
                                                          {{3, 1}, {1, 1}},
                                                          {{3, 2}, {1, 1}},
                                                          {{3, 3}, {1, 1}}};
  journal_.setPartLookup([&](EventId id, int rank) {
    const auto found = timings.find({id, rank});
    return found == timings.end() ? std::nullopt : std::optional(found->second);
  });
  EXPECT_EQ(eventWords(journal_, 1).note, "rank 0 waits for rank 1");
  EXPECT_NE(plain(EventSentences(journal_).text(1))
                .find("rank 0 has waited for rank 1 since 1.4 ms after the start"),
            std::string::npos);
  EXPECT_EQ(eventWords(journal_, 1).tone, Tone::Bad);
  EXPECT_EQ(eventWords(journal_, 2).note, "rank 2 called all_reduce");
  EXPECT_EQ(eventWords(journal_, 3).note, "8 B sent");
  timings.erase({1, 0});  // no rank of the first group remains
  EXPECT_EQ(eventWords(journal_, 1).note, "rank 3 called all_gather");
  EXPECT_NE(plain(EventSentences(journal_).text(1)).find("without rank 3"), std::string::npos);
}

// Ranks 2 and 3 called nothing.
TEST_F(Words, OfAWaitNameTheRanksThatCalledAnotherCollective) {
  recorder_.meta("mesh", "4:tp");
  recorder_.meta("hosted", "0-3");
  recorder_.note(makeCollective(recorder_, CollectiveKind::AllReduce, "0-3", 0, 8, {.axis = "tp"}));
  Event other = makeCollective(recorder_, CollectiveKind::AllGather, "0-3", 0, 8, {.axis = "tp"});
  other.sequence = 1;
  recorder_.note(other);
  journal_.setPartLookup([](EventId id, int rank) {
    return rank + 1 == static_cast<int>(id) ? std::optional(EventPart{.duration = Event::kRunning})
                                            : std::nullopt;
  });
  EXPECT_EQ(eventWords(journal_, 1).note,
            "rank 0 waits for ranks 1–3, of which rank 1 called all_gather");
}

// Rank 2 of four called another collective: it is at fault at both. Rank 4 was not recorded.
TEST_F(Words, OfTwoCollectivesInOnePlaceCountTheOtherRanks) {
  recorder_.meta("mesh", "5:tp");
  recorder_.meta("hosted", "0-3");
  recorder_.note(makeCollective(recorder_, CollectiveKind::AllReduce, "0-4", 0, 8, {.axis = "tp"}));
  Event other = makeCollective(recorder_, CollectiveKind::AllGather, "0-4", 0, 8, {.axis = "tp"});
  other.sequence = 1;
  recorder_.note(other);
  int odd = 2;
  journal_.setPartLookup([&](EventId id, int rank) {
    const bool hasCalled = (rank >= odd && rank <= 2) == (id == 2);
    return hasCalled ? std::optional(EventPart{.duration = 5}) : std::nullopt;
  });
  EXPECT_EQ(eventWords(journal_, 1).note, "rank 2 called all_gather");
  EXPECT_EQ(eventWords(journal_, 2).note, "3 ranks called all_reduce");
  for (const EventId id : {1U, 2U}) {
    EXPECT_EQ(ranksAtFault(journal_, *collectiveWait(journal_, id)), std::vector{2}) << id;
  }
  odd = 1;  // as many called each of the two
  for (const EventId id : {1U, 2U}) {
    EXPECT_EQ(ranksAtFault(journal_, *collectiveWait(journal_, id)), (std::vector{0, 1, 2, 3}))
        << id;
  }
}

TEST_F(Words, OfACheckedResultGiveTheVerdict) {
  const auto check = [&](Verdict verdict, const CheckRecord& record) {
    const EventId id = recorder_.note(makeCheck(recorder_, "y", 0, verdict, record));
    const auto words = eventWords(journal_, id);
    return words.title + ", " + words.note + ": " + plain(EventSentences(journal_).text(id));
  };
  const CheckRecord far{.largest = "0.031",
                        .relative = "0.25",
                        .bound = "0.5",
                        .at = {4, 1},
                        .rank = 2,
                        .got = "1.5",
                        .expected = "1.25"};
  EXPECT_EQ(check(Verdict::Same, {}), "check of y, matches plain torch: y matches plain torch");
  EXPECT_EQ(check(Verdict::Same, far),
            "check of y, matches plain torch: y matches plain torch, differs by 0.031, rounding "
            "explains 0.5");
  EXPECT_EQ(check(Verdict::Differs, far),
            "check of y, differs: y differs from plain torch by 0.031 (relative 0.25) at [4, 1] "
            "on rank 2: got 1.5, expected 1.25, rounding explains 0.5");
  EXPECT_EQ(eventWords(journal_, 3).tone, Tone::Bad);
  EXPECT_EQ(
      check(Verdict::Differs, {.largest = "nan", .relative = "nan", .got = "nan", .expected = "1"}),
      "check of y, differs: y differs from plain torch on rank 0: got nan, expected 1");
  EXPECT_EQ(check(Verdict::Differs, {.why = "got shape [3], expected [2]"}),
            "check of y, differs: y differs from plain torch: got shape [3], expected [2]");
  EXPECT_EQ(check(Verdict::None, {.why = "its elements are not set"}),
            "check of y, not checked: y is not checked: its elements are not set");
  EXPECT_EQ(kindLabel(journal_.at(1).kind), "check");
  EXPECT_EQ(eventIcon(journal_.at(1)), "check");
  EXPECT_EQ(eventIcon(journal_.at(3)), "error");
}

TEST(EventIcons, DistinguishHitsFromMisses) {
  Event event;
  event.kind = EventKind::CacheLookup;
  event.verdict = Verdict::Hit;
  EXPECT_EQ(eventIcon(event), "cache_hit");
  event.verdict = Verdict::Off;
  EXPECT_EQ(eventIcon(event), "cache_miss");
  EXPECT_EQ(kindLabel(event.kind), "cache");
  event.kind = EventKind::MaskReleased;
  EXPECT_EQ(eventIcon(event), "mask");
  event.kind = EventKind::Candidates;
  EXPECT_EQ(eventIcon(event), "candidates");
  EXPECT_EQ(kindLabel(event.kind), "strategy");
}

TEST(Groups, AreCutShortWhereTheyAreMany) {
  EXPECT_EQ(groupsText("0,1|2,3"), "{0,1} {2,3}");
  std::string many = "0";
  for (int rank = 1; rank < 100; ++rank) many += "," + std::to_string(rank);
  EXPECT_EQ(
      groupsText(many),
      "{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,...}");
  std::string pairs = "0-1";
  for (int i = 1; i < 16; ++i) pairs += "|2-3";
  EXPECT_TRUE(groupsText(pairs).ends_with(" {2-3}"));
  EXPECT_TRUE(groupsText(pairs + "|4-5").ends_with(" {2-3} and 1 more group"));
}

}  // namespace
}  // namespace shardlens::view
