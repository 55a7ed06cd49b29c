#include "core/compare/event_pairs.h"

#include "core/compare/difference_places.h"
#include "core/compare/paired_tree.h"
#include "core/trace/recorder/event_makers.h"
#include "core/trace/snapshot/state_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace shardlens {
namespace {

using ::testing::ElementsAre;

// Returns a journal with one event per line. The parent of an event is the nearest line above with
// less indent. Lines without indent are steps, names that end with "!" results, others operators.
std::unique_ptr<Journal> journalOf(std::initializer_list<std::string_view> lines) {
  auto journal = std::make_unique<Journal>();
  Recorder recorder;
  recorder.addSink(*journal);
  std::vector<std::unique_ptr<Span>> open;
  for (const std::string_view line : lines) {
    const auto depth = line.find_first_not_of(' ');
    while (open.size() > depth) open.pop_back();
    const std::string_view name = line.substr(depth);
    const Event event = depth == 0            ? makeStep(recorder, name)
                        : name.ends_with('!') ? makeResult(recorder, name, 0, 0, 0)
                                              : makeOperator(recorder, name);
    open.push_back(std::make_unique<Span>(recorder, event));
  }
  while (!open.empty()) open.pop_back();
  recorder.removeSinks();
  return journal;
}

EventPairs pairsOf(const Journal& left, const Journal& right) {
  return pairEvents(left, right, pairSteps(left, right));
}

// Returns the paired event of `right` for each event of `left`, or 0 if it has none.
std::vector<EventId> rightOfEach(const Journal& left, const Journal& right) {
  const EventPairs pairs = pairsOf(left, right);
  std::vector<EventId> all;
  for (EventId id = 1; id <= left.size(); ++id) {
    const auto there = pairs.rightOf(id);
    all.push_back(there.value_or(0));
    if (there) {
      EXPECT_EQ(pairs.leftOf(*there), id);
    }
  }
  return all;
}

TEST(EventPairs, OfARunAndItselfAreOneRun) {
  const auto run = journalOf({"a()", " add", "  x!", "b()", " mul"});
  EXPECT_THAT(rightOfEach(*run, *run), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_EQ(pairsOf(*run, *run).runs(), 1);
}

TEST(EventPairs, TheStartIsThatOfBothAndBehindTheEndThereIsNone) {
  const auto run = journalOf({"a()"});
  const EventPairs pairs = pairsOf(*run, *run);
  EXPECT_EQ(pairs.rightOf(0), 0);
  EXPECT_EQ(pairs.leftOf(0), 0);
  EXPECT_EQ(pairs.rightOf(1), 1);
  EXPECT_EQ(pairs.rightOf(2), std::nullopt);
  EXPECT_EQ(EventPairs().rightOf(0), 0);
  EXPECT_EQ(EventPairs().rightOf(1), std::nullopt);
}

TEST(EventPairs, AStepThatOneHasMovesThoseBehindIt) {
  const auto left = journalOf({"a()", " add", "b()", " mul"});
  const auto right = journalOf({"a()", " add", "more()", " sub", "b()", " mul"});
  EXPECT_THAT(rightOfEach(*left, *right), ElementsAre(1, 2, 5, 6));
  EXPECT_THAT(rightOfEach(*right, *left), ElementsAre(1, 2, 0, 0, 3, 4));
}

TEST(EventPairs, AnEventThatOneHasInsideMovesThoseBehindIt) {
  const auto left = journalOf({"a()", " add", "  x!", " mul", "  y!", "b()"});
  const auto right = journalOf({"a()", " add", "  pow", "   p!", "  x!", " mul", "  y!", "b()"});
  EXPECT_THAT(rightOfEach(*left, *right), ElementsAre(1, 2, 5, 6, 7, 8));
  EXPECT_THAT(rightOfEach(*right, *left), ElementsAre(1, 2, 0, 0, 3, 4, 5, 6));
}

// Events with equal text pair only inside paired parents.
TEST(EventPairs, AreInsideOfTheSameOnes) {
  const auto left = journalOf({"a()", " add", "  x!", " mul"});
  const auto right = journalOf({"a()", " add", " mul", "  x!"});
  EXPECT_THAT(rightOfEach(*left, *right), ElementsAre(1, 2, 0, 3));
}

TEST(EventPairs, IgnoreTensorNames) {
  const auto left = journalOf({"x = f(w)", " add", "  x!", "y = g(x)"});
  const auto right = journalOf({"z = f(w)", " add", "  z!", "y = g(z)"});
  EXPECT_THAT(rightOfEach(*left, *right), ElementsAre(1, 2, 3, 4));
}

TEST(EventPairs, ACallOfAnotherOperatorHasNoCounterpart) {
  const auto left = journalOf({"a()", " add", " mul", "b()"});
  const auto right = journalOf({"a()", " add", " div", "c()"});
  EXPECT_THAT(rightOfEach(*left, *right), ElementsAre(1, 2, 0, 0));
}

TEST(EventPairs, FallBackToTheLastEventWithACounterpart) {
  const auto left = journalOf({"a()", " add", "b()"});
  const auto right = journalOf({"a()", " add", "more()", " sub", "b()"});
  const EventPairs pairs = pairsOf(*left, *right);
  EXPECT_EQ(pairs.leftUpTo(0), 0);
  EXPECT_EQ(pairs.leftUpTo(2), 2);
  EXPECT_EQ(pairs.leftUpTo(3), 2);
  EXPECT_EQ(pairs.leftUpTo(4), 2);
  EXPECT_EQ(pairs.leftUpTo(5), 3);
  EXPECT_EQ(pairs.rightUpTo(3), 5);
}

TEST(EventPairs, ReportTheirProgressAndCanBeCancelled) {
  const auto run = journalOf({"a()", "b()", "c()", "d()"});
  std::vector<double> reported;
  pairEvents(*run, *run, pairSteps(*run, *run), [&](double done) { reported.push_back(done); });
  EXPECT_THAT(reported, ElementsAre(0.25, 0.5, 0.75, 1));
  EXPECT_THROW(pairEvents(*run, *run, pairSteps(*run, *run), [](double) { throw 1; }), int);
}

using Place = DifferencePlaces::Place;
using Side = DifferencePlaces::Side;

struct DifferencePlacesTest : testing::Test {
  std::unique_ptr<Journal> left = journalOf({"a()", " add", "  x!", "b()", "c()"});
  std::unique_ptr<Journal> right = journalOf({"a()", " add", "  x!", "more()", "b()", "c()"});
  DifferencePlaces placesOf(std::vector<Place> events) const {
    return {*left, *right, pairsOf(*left, *right), std::move(events)};
  }
};

TEST_F(DifferencePlacesTest, OfNoneThereIsNone) {
  EXPECT_EQ(placesOf({}).first(), std::nullopt);
  EXPECT_EQ(placesOf({{0, 0}}).first(), std::nullopt);  // a difference of the whole run
  EXPECT_EQ(DifferencePlaces().next({}), std::nullopt);
  EXPECT_EQ(DifferencePlaces().previous({}), std::nullopt);
}

TEST_F(DifferencePlacesTest, AreGoneThroughInOrder) {
  const auto places = placesOf({{5, 6}, {3, 3}, {0, 4}});
  EXPECT_EQ(places.first(), (Place{3, 3}));
  EXPECT_EQ(places.next({2, 2}), (Place{3, 3}));
  EXPECT_EQ(places.next({3, 3}), (Place{3, 4}));  // unpaired: the left one stays
  EXPECT_EQ(places.next({3, 4}), (Place{5, 6}));
  EXPECT_EQ(places.next({5, 6}), std::nullopt);
  EXPECT_EQ(places.previous({5, 6}), (Place{3, 4}));
  EXPECT_EQ(places.previous({3, 4}), (Place{3, 3}));
  EXPECT_EQ(places.previous({3, 3}), std::nullopt);
}

TEST_F(DifferencePlacesTest, MarkAnEventAndItsParents) {
  const auto places = placesOf({{5, 6}, {3, 3}, {0, 4}});
  EXPECT_THAT(places.events(Side::Left), ElementsAre(1, 2, 3, 5));
  EXPECT_THAT(places.events(Side::Right), ElementsAre(1, 2, 3, 4, 6));
}

PairedTree::Side sideOf(const Journal& journal) {
  return {journal, StateIndex(journal).at(0).histories};
}

TEST(PairedTree, FindsChildrenBetweenEventsOfOtherThreads) {
  Journal journal;
  journal.onMeta("imported", "chrome");
  const auto add = [&](EventId parent, std::int64_t time, std::int64_t duration) {
    Event event;
    event.kind = parent == 0 ? EventKind::Step : EventKind::Compute;
    event.parent = parent;
    event.time = time;
    event.duration = duration;
    journal.onEvent(journal.size() + 1, event, {});
  };
  add(0, 0, 100);
  add(0, 10, 40);
  add(2, 20, 5);
  add(1, 30, 5);
  add(0, 100, 5);
  const EventPairs pairs = pairsOf(journal, journal);
  const PairedTree tree(sideOf(journal), sideOf(journal), pairs);
  const auto leftOf = [](const std::vector<EventPair>& nodes) {
    std::vector<EventId> events;
    for (const EventPair& node : nodes) events.push_back(node.left);
    return events;
  };
  EXPECT_THAT(leftOf(tree.roots()), ElementsAre(1, 2, 5));
  EXPECT_THAT(leftOf(tree.childrenOf({1, 0})), ElementsAre(4));
  EXPECT_THAT(leftOf(tree.childrenOf({2, 0})), ElementsAre(3));
  EXPECT_TRUE(tree.hasChildren({1, 0}));
  EXPECT_FALSE(tree.hasChildren({5, 0}));
}

TEST(PairedTree, JoinsEventsOfBothAndKeepsThoseOfOneInTheirPlace) {
  const auto left = journalOf({"a()", " add", "  x!", " sub", "b()"});
  const auto right = journalOf({"a()", " mul", " add", "  x!", "  y!", "c()", "b()"});
  const EventPairs pairs = pairsOf(*left, *right);
  const PairedTree tree(sideOf(*left), sideOf(*right), pairs);
  EXPECT_THAT(tree.roots(), ElementsAre(EventPair{1, 1}, EventPair{0, 6}, EventPair{5, 7}));
  EXPECT_THAT(tree.childrenOf({1, 1}),
              ElementsAre(EventPair{0, 2}, EventPair{2, 3}, EventPair{4, 0}));
  EXPECT_THAT(tree.childrenOf({2, 3}), ElementsAre(EventPair{3, 4}, EventPair{0, 5}));
  EXPECT_THAT(tree.childrenOf({5, 7}), ElementsAre());
  EXPECT_TRUE(tree.hasChildren({1, 1}));
  EXPECT_FALSE(tree.hasChildren({5, 7}));
}

// The roots of this history are not those of the journal, which shows what hasChildren() reads.
TEST(PairedTree, ReadsNoEventToFindWhetherARootHasChildren) {
  const auto journal = journalOf({"a()", " add", "b()"});
  const auto history = [](std::vector<EventId> roots) {
    auto histories = std::make_shared<Histories>();
    histories->roots = std::move(roots);
    return histories;
  };
  const EventPairs pairs = pairsOf(*journal, *journal);
  const PairedTree tree({*journal, history({1, 2})}, {*journal, history({1})}, pairs);
  EXPECT_FALSE(tree.hasChildren({1, 0}));
  EXPECT_TRUE(tree.hasChildren({0, 1}));
  EXPECT_FALSE(tree.hasChildren({3, 0}));
}

}  // namespace
}  // namespace shardlens
