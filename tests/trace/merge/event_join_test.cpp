#include "core/trace/merge/event_join.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

namespace shardlens {
namespace {

using ::testing::ElementsAre;

// Processes whose events are letters of one step. A letter in upper case is worth more. Digits are
// numbered collectives. "(" is an event that encloses those up to ")".
class Letters final : public JoinSource {
 public:
  explicit Letters(std::vector<std::string> processes) {
    for (const auto& text : processes) {
      auto& events = events_.emplace_back();
      std::vector<EventId> open{0};
      for (const char letter : text) {
        if (letter == ')') {
          open.pop_back();
          continue;
        }
        const bool isNumber = letter >= '0' && letter <= '9';
        const bool isUpper = letter >= 'A' && letter <= 'Z';
        events.push_back({.key = isNumber ? 1 : static_cast<std::uint32_t>(letter),
                          .isNumbered = isNumber,
                          .sequence = isNumber ? static_cast<std::uint32_t>(letter - '0') : 0,
                          .parent = open.back(),
                          .worth = static_cast<std::uint8_t>(isUpper)});
        letters_[events.back().key << 8U | events.back().sequence] = letter;
        if (letter == '(') open.push_back(static_cast<EventId>(events.size()));
      }
      known_.push_back(static_cast<EventId>(events.size()));
      merged_.emplace_back(1);
    }
  }

  Read read(std::uint32_t process, EventId id, JoinEvent& into) override {
    if (id > events_[process].size()) return hasEnded ? Read::LaterStep : Read::None;
    if (id > known_[process]) return Read::None;
    into = events_[process][id - 1];
    return Read::Event;
  }
  EventId mergedOf(std::uint32_t process, EventId own) const override {
    return merged_[process].at(own);
  }
  const std::vector<std::uint32_t>* hostsOf(std::uint32_t key) const override {
    return key == 1 ? hosts : nullptr;
  }

  // Joins as far as possible: "a01" is an event of the processes 0 and 1.
  std::vector<std::string> join(EventJoin& join, bool whole) {
    join.refresh();
    std::vector<std::string> joined;
    for (;;) {
      const auto& next = join.next(whole);
      if (next.empty()) return joined;
      const JoinEvent& event = events_[next.front()][join.firstOf(next.front()) - 1];
      std::string text(1, letters_.at(event.key << 8U | event.sequence));
      for (const auto process : next) text += std::to_string(process);
      joined.push_back(text);
      ++count_;
      for (const auto process : next) merged_[process].push_back(count_);
      join.join(count_);
    }
  }

  void know(std::size_t process, EventId events) { known_[process] = events; }

  bool hasEnded = true;  // the step has ended in all processes
  const std::vector<std::uint32_t>* hosts = nullptr;

 private:
  std::vector<std::vector<JoinEvent>> events_;
  std::vector<EventId> known_;
  std::vector<std::vector<EventId>> merged_;
  std::map<std::uint32_t, char> letters_;
  EventId count_ = 0;
};

std::vector<std::string> joined(const std::vector<std::string>& processes) {
  Letters letters(processes);
  EventJoin join(letters, processes.size());
  join.beginStep();
  return letters.join(join, true);
}

TEST(EventJoin, EqualProcessesAreOne) {
  EXPECT_THAT(joined({"a1b", "a1b", "a1b"}), ElementsAre("a012", "1012", "b012"));
}

TEST(EventJoin, AnEventThatAnotherProcessHasLaterWaits) {
  EXPECT_THAT(joined({"ab", "xab", "yyab"}), ElementsAre("x1", "y2", "y2", "a012", "b012"));
  EXPECT_THAT(joined({"abc", "ac"}), ElementsAre("a01", "b0", "c01"));
}

TEST(EventJoin, InOppositeOrdersTheLesserWorthIsJoinedAlone) {
  EXPECT_THAT(joined({"aB", "Ba"}), ElementsAre("a0", "B01", "a1"));
  EXPECT_THAT(joined({"Ba", "aB"}), ElementsAre("a1", "B01", "a0"));
  EXPECT_THAT(joined({"ab", "ba"}), ElementsAre("a0", "b01", "a1"));
}

TEST(EventJoin, NumbersMatchAnywhereAndOtherEventsInOneSpan) {
  EXPECT_THAT(joined({"(a)1", "b(a)1"}), ElementsAre("b1", "(01", "a01", "101"));
  EXPECT_THAT(joined({"(a)", "a"}), ElementsAre("(0", "a0", "a1"));
  EXPECT_THAT(joined({"(1)", "1"}), ElementsAre("(0", "101"));
  EXPECT_THAT(joined({"(ab)(a)", "(b)(a)"}), ElementsAre("(01", "a0", "b01", "(01", "a01"));
}

// While the processes record, only events are joined that nothing recorded later can join.
TEST(EventJoin, WaitsForProcessesThatMayRecordMore) {
  Letters letters({"ab", "ab", "cb"});
  letters.hasEnded = false;
  letters.know(1, 0);
  letters.know(2, 0);
  EventJoin join(letters, 3);
  join.beginStep();
  EXPECT_THAT(letters.join(join, false), ElementsAre());
  letters.know(1, 2);
  letters.know(2, 1);
  EXPECT_THAT(letters.join(join, false), ElementsAre());  // the last one may record an a
  letters.know(2, 2);
  EXPECT_THAT(letters.join(join, false), ElementsAre());
  letters.hasEnded = true;
  EXPECT_THAT(letters.join(join, false), ElementsAre("a01", "c2", "b012"));
  EXPECT_TRUE(join.isStepDone(false));
}

TEST(EventJoin, NumbersWaitForTheirHostsOnly) {
  const std::vector<std::uint32_t> hosts{0, 1};
  Letters letters({"1a", "1a", "b"});
  letters.hasEnded = false;
  letters.hosts = &hosts;
  EventJoin join(letters, 3);
  join.beginStep();
  EXPECT_THAT(letters.join(join, false), ElementsAre("101"));
}

// Each event is joined once, in the order of its process, for any programs.
TEST(EventJoin, KeepsTheOrderOfEachProcess) {
  std::minstd_rand random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> processes(1 + random() % 5);
    for (auto& events : processes) {
      for (auto left = random() % 20; left > 0; --left) events += "abcDE123"[random() % 8];
    }
    std::vector<std::string> of(processes.size());
    for (const auto& event : joined(processes)) {
      for (const char process : event.substr(1)) {
        of[static_cast<std::size_t>(process - '0')] += event.front();
      }
    }
    EXPECT_EQ(of, processes);
  }
}

TEST(IdTable, EqualsAMap) {
  std::minstd_rand random(3);
  std::map<std::uint64_t, std::uint32_t> map;
  IdTable<std::uint64_t> table;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t key = (random() % 400 + 1) << (random() % 2 == 0 ? 0U : 32U);
    if (random() % 3 == 0 && map.contains(key)) {
      map.erase(key);
      table.erase(key);
    } else {
      EXPECT_EQ(table[key], map[key]) << key;
      table[key] = map[key] = static_cast<std::uint32_t>(i);
    }
    ASSERT_EQ(table.size(), map.size());
  }
}

}  // namespace
}  // namespace shardlens
