#include "core/trace/merge/clocks.h"

#include "core/trace/merge/journal_merge.h"
#include "core/trace/merge/merged_parts.h"
#include "core/trace/recorder/event_makers.h"
#include "core/trace/records/clock_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <memory>

namespace shardlens {
namespace {

using ::testing::ElementsAre;

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kYear2026 = 1'770'000'000'000'000'000;

// A machine: its monotonic clock reads `offset` at the true time 0, its wall clock is wrong by
// `wrong` and bounds that by `error`.
struct TestMachine {
  std::string id;
  std::int64_t offset = 0;
  std::int64_t wrong = 0;
  std::optional<std::int64_t> error = {};
  double drift = 0;

  std::int64_t monotonic(std::int64_t time) const {
    return offset + time + static_cast<std::int64_t>(drift * static_cast<double>(time));
  }
};

// The ranks of a job. Times are true times, in nanoseconds.
class Job {
 public:
  void add(const TestMachine& machine, std::int64_t start) {
    Rank& rank = ranks_.emplace_back();
    rank.machine = machine;
    rank.start = machine.monotonic(start);
    rank.recorder.addSink(rank.journal);
    rank.recorder.setClock([this, &rank] { return rank.machine.monotonic(now_) - rank.start; });
    const ClockAnchor anchor{0, rank.start, kYear2026 + start + machine.wrong, machine.error};
    if (!machine.id.empty()) {
      rank.recorder.meta(kClockKey, clockText({machine.id, {anchor}}));
    }
    rank.recorder.meta("mesh", "4:tp");
    rank.recorder.meta("hosted", std::to_string(ranks_.size() - 1));
  }
  // All ranks call an all_reduce, rank i at calls[i], and return within `took` of the last call.
  void call(const std::vector<std::int64_t>& calls, std::int64_t took) {
    std::vector<EventId> ids;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      now_ = calls[i];
      Recorder& recorder = ranks_[i].recorder;
      ids.push_back(recorder.begin(
          makeCollective(recorder, CollectiveKind::AllReduce, "0-3", 0, 8, {.axis = "tp"})));
      recorder.detach(ids.back());
    }
    const std::int64_t last = *std::max_element(calls.begin(), calls.end());
    for (std::size_t i = 0; i < calls.size(); ++i) {
      now_ = last + took / static_cast<std::int64_t>(i + 1);
      ranks_[i].recorder.complete(ids[i], now_ * 2);
    }
  }
  JournalMerge& merged() {
    std::vector<const Journal*> journals;
    for (const Rank& rank : ranks_) journals.push_back(&rank.journal);
    merge_ = std::make_unique<JournalMerge>(journals);
    merge_->finish(1'000'000);
    return *merge_;
  }
  EventPart part(EventId id, int rank) const { return merge_->journal().part(id, rank).value(); }

 private:
  struct Rank {
    TestMachine machine;
    std::int64_t start = 0;
    Journal journal;
    Recorder recorder;
  };
  std::int64_t now_ = 0;
  std::deque<Rank> ranks_;
  std::unique_ptr<JournalMerge> merge_;
};

std::vector<std::int64_t> startsOf(const Journal& journal) {
  std::vector<std::int64_t> all;
  for (const RankClock& each : rankClocks(journal)) all.push_back(each.start);
  return all;
}

TEST(Clocks, OfOneMachineNeedNoEstimate) {
  Job job;
  const TestMachine machine{.id = "boot", .offset = 9'000'000'000};
  for (const std::int64_t start : {500, 0, 70, 3}) job.add(machine, start * kMillisecond);
  job.call({900 * kMillisecond, 901 * kMillisecond, 902 * kMillisecond, 1400 * kMillisecond}, 1000);
  const Journal& journal = job.merged().journal();
  EXPECT_THAT(startsOf(journal),
              ElementsAre(500 * kMillisecond, 0, 70 * kMillisecond, 3 * kMillisecond));
  EXPECT_EQ(job.part(1, 0).time, 900 * kMillisecond);
  EXPECT_EQ(job.part(1, 3).time, 1400 * kMillisecond);
  EXPECT_EQ(errorBetween(job.part(1, 0), job.part(1, 3)), 0);
  EXPECT_EQ(journal.at(1).time, 900 * kMillisecond);
  EXPECT_EQ(journal.meta(kClockKey), "") << "of a process, not of the run";
}

// Rank 0 calls last and returns last.
TEST(Clocks, TheRunEndsWithTheLastReturn) {
  Job job;
  for (int rank = 0; rank < 4; ++rank) job.add({.id = "boot"}, 0);
  job.call({10 * kMillisecond, 0, 0, 0}, 40 * kMillisecond);
  const Journal& journal = job.merged().journal();
  EXPECT_EQ(endOf(journal), 50 * kMillisecond);
}

// Two machines whose wall clocks tell nothing. Rank 3 is late in each step.
TEST(Clocks, OfSeveralMachinesAreComparedByCollectives) {
  const TestMachine first{.id = "a", .offset = 9'000'000'000, .drift = 30e-6};
  const TestMachine second{.id = "b", .offset = 70'000'000'000, .wrong = 12'000'000'000};
  Job job;
  for (const TestMachine& machine : {first, first, second, second}) job.add(machine, 0);
  constexpr std::int64_t kTook = 2 * kMillisecond;
  constexpr int kSteps = 30;
  std::vector<std::vector<std::int64_t>> calls;
  for (int step = 0; step < kSteps; ++step) {
    const std::int64_t time = step * 700 * kMillisecond;
    calls.push_back(
        {time, time + kMillisecond, time + 3 * kMillisecond, time + 500 * kMillisecond});
    job.call(calls.back(), kTook);
  }
  job.merged();
  for (EventId id = 1; id <= kSteps; ++id) {
    const EventPart early = job.part(id, 0);
    for (const int rank : {1, 2, 3}) {
      const EventPart part = job.part(id, rank);
      const std::int64_t truth = first.monotonic(calls[id - 1][static_cast<std::size_t>(rank)]) -
                                 first.monotonic(calls[id - 1][0]);
      EXPECT_LE(std::abs(part.time - early.time - truth), errorBetween(early, part)) << id;
      EXPECT_LE(errorBetween(early, part), rank == 1 ? 0 : 2 * kTook) << id;
    }
  }
}

TEST(Clocks, OfSeveralMachinesWithoutCollectivesAreComparedByWallClocks) {
  const TestMachine first{.id = "a", .offset = 9'000'000'000, .wrong = 300, .error = 1000};
  const TestMachine second{.id = "b", .offset = 5, .wrong = -2000, .error = 4000};
  Job job;
  job.add(first, 2000);
  job.add(second, 100);
  EXPECT_THAT(startsOf(job.merged().journal()), ElementsAre(1900 + 2300, 0));
  const auto clocks = rankClocks(job.merged().journal());
  EXPECT_EQ(clocks[0].error, 0);
  EXPECT_EQ(clocks[1].error, 5000);
}

TEST(Clocks, OfUnsynchronisedWallClocksCannotBeCompared) {
  Job job;
  job.add({.id = "a", .error = 1000}, 0);
  job.add({.id = "b"}, 0);
  job.add({}, 0);  // an older recording
  job.merged();
  const auto clocks = rankClocks(job.merged().journal());
  EXPECT_EQ(clocks[0].error, 0);
  EXPECT_EQ(clocks[1].error, EventPart::kUnknown);
  EXPECT_EQ(clocks[2].error, EventPart::kUnknown);
  EXPECT_NE(clocks[1].clock, clocks[2].clock);
}

TEST(Clocks, OfDamagedRecordingsDoNotOverflow) {
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  Journal one, other;
  one.onMeta(kClockKey, clockText({"a", {{0, std::int64_t{1} << 59, 0, 0}}}));
  other.onMeta(kClockKey,
               clockText({"b", {{std::int64_t{1} << 59, 0, std::int64_t{1} << 61, kHuge}}}));
  Clocks clocks({&one, &other});
  std::vector<Clocks::Call> calls = {
      {0, {.time = kHuge, .duration = kHuge, .bytes = 1, .exposed = kHuge}},
      {1, {.time = -kHuge, .duration = kHuge, .bytes = 1, .exposed = 1}}};
  for (auto& call : calls) {
    call.event.kind = EventKind::Collective;
    call.event.subkind = static_cast<std::uint8_t>(CollectiveKind::AllReduce);
  }
  clocks.add(calls);
  for (const std::int64_t time : {kHuge, -kHuge}) {
    for (const std::size_t process : {0U, 1U}) {
      EXPECT_LE(clocks.read(process, time).error, EventPart::kUnknown);
    }
  }
}

}  // namespace
}  // namespace shardlens
