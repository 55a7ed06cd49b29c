// Recordings of which only some steps are opened.
#include "app/bench/run_case.h"
#include "core/model/step_number.h"
#include "core/trace/events/event_references.h"
#include "core/trace/file/database.h"
#include "core/trace/file/trace_writer.h"
#include "core/trace/merge/trace_reader.h"
#include "core/trace/recorder/event_makers.h"
#include "core/trace/records/limits_record.h"
#include "tests/trace/mutations.h"
#include "tests/trace/sample_run.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <stdexcept>

namespace shardlens {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using Steps = std::vector<RankRange>;

std::unique_ptr<TraceReader> open(const std::filesystem::path& path, const Steps& steps = {}) {
  auto reader = TraceReader::open({path}, steps);
  if (!reader) throw std::runtime_error(reader.error().message);
  while ((*reader)->settle()) continue;
  return std::move(*reader);
}

// Writes a recording with whole values.
void writeWithValues(const std::filesystem::path& path,
                     const std::function<void(Recorder&)>& record) {
  auto writer = TraceWriter::create(path).value();
  Recorder recorder;
  recorder.addSink(*writer);
  recorder.setCapture(CaptureLevel::All);
  record(recorder);
}

// Describes events of some steps, without the ids of events and tensors, which each journal
// numbers: a described event is referred to by its place, any other one by 0.
std::vector<std::string> described(const Journal& journal, const Steps& steps) {
  std::map<EventId, std::size_t> places;
  const auto placeOf = [&](EventId id) {
    const auto found = places.find(id);
    return found == places.end() ? 0 : found->second;
  };
  const auto nameOf = [&](TensorId id) {
    return id == 0 ? std::string() : std::string(journal.text(journal.nameOf(id)));
  };
  const auto referenceOf = [&](std::uint32_t id, Reference to) {
    if (to == Reference::Event) return fmt::format("event {}", placeOf(id));
    return to == Reference::Tensor ? nameOf(id) : std::to_string(id);
  };
  std::vector<std::string> all;
  for (EventId id = 1; id <= journal.size(); ++id) {
    const Event event = journal.at(id);
    if (!steps.empty() && !contains(steps, event.step)) continue;
    places.emplace(id, places.size() + 1);
    std::string inputs;
    for (const TensorId input : journal.inputs(id)) inputs += nameOf(input) + " ";
    all.push_back(fmt::format(
        "{} {} {} '{}' '{}' '{}' '{}' '{}' {} {} {} {} parent {} subject {} related {} count {} "
        "[{}]",
        event.step, static_cast<int>(event.kind), static_cast<int>(event.verdict),
        journal.name(event), journal.detail(event), journal.text(event.ranks),
        journal.text(event.site), journal.text(event.group), event.sequence, event.bytes,
        event.time, event.duration, placeOf(event.parent),
        referenceOf(event.subject, subjectOf(event.kind)),
        referenceOf(event.related, relatedOf(event.kind)),
        referenceOf(static_cast<std::uint32_t>(event.count), countOf(event.kind)), inputs));
  }
  return all;
}

TEST(Slice, HasTheEventsOfItsStepsAsTheWholeRun) {
  const ScratchFolder folder;
  const RunCase of{.ranks = 8, .steps = 40, .stages = 2, .experts = 2, .tensorParallel = 2};
  ASSERT_TRUE(recordRun(of, folder.path()));
  const auto whole = open(folder.path());
  for (const Steps& steps : {Steps{{0, 0}}, Steps{{9, 11}}, Steps{{39, 39}}, Steps{{0, 39}},
                             Steps{{3, 3}, {5, 6}, {30, 50}}}) {
    const auto slice = open(folder.path(), steps);
    EXPECT_EQ(described(slice->journal(), {}), described(whole->journal(), steps));
    EXPECT_TRUE(slice->leftOut().empty());
    EXPECT_FALSE(slice->mayGrow());
    EXPECT_FALSE(slice->refresh().value());
    EXPECT_EQ(slice->hasLater(), steps.back().last < 39);
  }
}

TEST(Slice, FindsStepsOfVeryDifferentLengths) {
  const ScratchFolder folder;
  const std::vector<EventId> lengths{1, 30'000, 2, 1, 9'000, 3, 3'000, 1, 1, 20'000, 5};
  writeWithValues(folder.path() / "run.shardlens", [&](Recorder& recorder) {
    for (std::size_t step = 0; step < lengths.size(); ++step) {
      recorder.setStep(static_cast<int>(step), 1);
      for (EventId i = 0; i < lengths[step]; ++i) recorder.note(makeCompute(recorder, "work"));
    }
  });
  for (int step = 0; step < static_cast<int>(lengths.size()); ++step) {
    const auto slice = open(folder.path() / "run.shardlens", {{step, step}});
    EXPECT_EQ(slice->journal().size(), lengths[static_cast<std::size_t>(step)]) << step;
  }
}

TEST(Slice, FindsTheLastStepBeforeABlockOfLateEvents) {
  const ScratchFolder folder;
  writeWithValues(folder.path() / "run.shardlens", [&](Recorder& recorder) {
    for (const int step : {0, 1, 2, 1}) {
      recorder.setStep(step, 1);
      for (int i = 0; i < 2'000; ++i) recorder.note(makeCompute(recorder, "work"));
    }
  });
  EXPECT_EQ(open(folder.path() / "run.shardlens", {{2, 2}})->journal().size(), 2'000U);
  EXPECT_EQ(open(folder.path() / "run.shardlens", {{3, 3}})->journal().size(), 0U);
}

// The events are of all kinds, and refer to events of other steps.
TEST(Slice, OfAnyEventsRefersToThoseInIt) {
  const ScratchFolder folder;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const auto path = folder.path() / fmt::format("{}.shardlens", seed);
    {
      auto writer = TraceWriter::create(path).value();
      Recorder recorder;
      recorder.addSink(*writer);
      recordRandom(recorder, seed, 5000);
    }
    const auto whole = open(path);
    for (int first = 0; first < 100; first += 13) {
      const Steps steps{{first, first + 7}, {first + 9, first + 9}};
      const auto slice = open(path, steps);
      EXPECT_EQ(described(slice->journal(), {}), described(whole->journal(), steps));
      for (EventId id = 1; id <= slice->journal().size(); ++id) {
        const auto own = slice->recordedAt(id);
        ASSERT_EQ(own.size(), 1U);
        EXPECT_EQ(whole->journal().at(own.front().event).time, slice->journal().at(id).time);
      }
    }
  }
}

TEST(Slice, RecordedAtNamesTheEventsInTheFiles) {
  const ScratchFolder folder;
  ASSERT_TRUE(recordRun({.ranks = 4, .steps = 30, .stages = 2}, folder.path()));
  const auto slice = open(folder.path(), {{20, 21}});
  const auto own = slice->recordedAt(slice->journal().size());
  ASSERT_FALSE(own.empty());
  for (const auto& [path, id] : own) {
    const auto file = open(path);
    EXPECT_EQ(file->journal().at(id).step, 21);
    EXPECT_EQ(file->journal().at(id).kind, slice->journal().at(slice->journal().size()).kind);
  }
}

TEST(Slice, NumbersEventsAsTheirRecordings) {
  const ScratchFolder folder;
  ASSERT_TRUE(recordRun({.ranks = 4, .steps = 30, .stages = 2}, folder.path()));
  const auto number = [](const TraceReader& reader, EventId id) {
    return std::to_string(reader.recordedAt(id).front().event);
  };
  const auto run = open(folder.path(), {{20, 21}});
  EXPECT_TRUE(run->journal().isPart());
  EXPECT_EQ(run->journal().numberOf(0), "0");
  for (EventId id = 1; id <= run->journal().size(); ++id) {
    const auto name = run->recordedAt(id).front().path.stem().string();  // as "rank-2"
    EXPECT_EQ(run->journal().numberOf(id), name.substr(5) + ":" + number(*run, id));
  }
  const auto rank = open(folder.path() / "rank-2.shardlens", {{20, 20}});
  for (EventId id = 1; id <= rank->journal().size(); ++id) {
    EXPECT_EQ(rank->journal().numberOf(id), number(*rank, id));
  }
  EXPECT_NE(rank->journal().numberOf(1), "1");
  const auto whole = open(folder.path());
  EXPECT_FALSE(whole->journal().isPart());
  EXPECT_EQ(whole->journal().numberOf(7), "7");
}

TEST(Slice, HasTheValuesBeforeItsEnd) {
  const ScratchFolder folder;
  const auto path = folder.path() / "a.shardlens";
  writeWithValues(path, [](Recorder& recorder) {
    const TensorId other = recorder.addTensor("other", {DType::UInt8, {1}, {Replicate{}}});
    const TensorId tensor = recorder.addTensor("w", {DType::UInt8, {1}, {Replicate{}}});
    for (int step = 0; step < 4; ++step) {
      recorder.setStep(step, 1);
      recorder.note(makeResult(recorder, "w", tensor, 1, 0));
      for (const TensorId each : {other, tensor}) {
        recordValue(recorder, valueOf<std::uint8_t>(each, 0, {1}, {std::uint8_t(10 + step)}));
      }
      recorder.note(makeResult(recorder, "w", tensor, 1, 0));
    }
  });
  const auto slice = open(path, {{1, 2}});
  const Journal& journal = slice->journal();
  ASSERT_EQ(journal.tensors(), 1U);  // no event of the slice refers to the other one
  const auto elementAt = [&](EventId position) {
    const auto value = journal.value(1, 0, position);
    const auto content = value ? journal.elements(*value) : nullptr;
    return content == nullptr ? -1 : static_cast<int>(content->front());
  };
  ASSERT_EQ(journal.size(), 4U);
  EXPECT_EQ(elementAt(1), 11);
  EXPECT_EQ(elementAt(2), 11);
  EXPECT_EQ(elementAt(4), 12);
  EXPECT_THAT(journal.ranksOf(1), ElementsAre(0));
  ASSERT_EQ(journal.values().size(), 4U);
  EXPECT_FALSE(journal.values().at(0));
  EXPECT_EQ(journal.values().at(3)->event, 3U);
  EXPECT_TRUE(slice->leftOut().empty());
}

TEST(Slice, SaysWhatIsLeftOut) {
  const ScratchFolder folder;
  ASSERT_TRUE(recordRun({.ranks = 2, .steps = 9}, folder.path()));
  const auto limits = [&](const Steps& steps) {
    return readLimits(open(folder.path(), steps)->journal().meta(kLimitsKey));
  };
  EXPECT_THAT(limits({{2, 2}}), ElementsAre(HasSubstr("only step 3 was opened")));
  EXPECT_THAT(limits({{0, 1}, {4, 4}}), ElementsAre(HasSubstr("only steps 1-2,5 were opened")));
  EXPECT_THAT(limits({{0, 1}, {4, kLastStep}}),
              ElementsAre(HasSubstr("only steps 1-2,5 and later were opened")));
  EXPECT_TRUE(limits({}).empty());
}

TEST(Slice, NamesAProcessThatWasKilledBeforeItRecordedItsRanks) {
  const ScratchFolder folder;
  ASSERT_TRUE(recordRun({.ranks = 2, .steps = 3}, folder.path()));
  const auto path = folder.path() / "empty.shardlens";
  TraceWriter::create(path).value().reset();
  Database(path, Database::Access::ReadWrite)
      .execute("DELETE FROM meta WHERE key IN ('ended', 'sealed_pages')");
  EXPECT_THAT(open(folder.path(), {{1, 1}})->leftOut(), ElementsAre(HasSubstr("is empty")));
}

TEST(Slice, ReadsNoValuesOfAFileThatHasLost) {
  const ScratchFolder folder;
  const auto path = folder.path() / "a.shardlens";
  writeWithValues(path, [](Recorder& recorder) { recordSample(recorder); });
  const auto slice = open(path, {{0, kLastStep}});
  ASSERT_GT(slice->journal().values().size(), 0U);
  Database(path, Database::Access::ReadWrite)
      .execute("DELETE FROM meta WHERE key = 'sealed_pages'; DELETE FROM shard_values");
  EXPECT_FALSE(slice->journal().values().at(0));
  EXPECT_THAT(slice->leftOut(), ElementsAre(HasSubstr("it has 0 values, expected")));
}

TEST(Slice, OfARunThatIsWrittenHasLaterEvents) {
  const ScratchFolder folder;
  const auto path = folder.path() / "a.shardlens";
  auto writer = TraceWriter::create(path).value();
  Recorder recorder;
  recorder.addSink(*writer);
  recordRandom(recorder, 1, 2000);
  ASSERT_TRUE(writer->flush());
  const auto slice = open(path, {{39, 39}});
  EXPECT_EQ(slice->journal().size(), 50U);
  EXPECT_TRUE(slice->hasLater());
  EXPECT_TRUE(slice->lostRanks().empty());
}

TEST(Slice, WithoutEventsIsEmpty) {
  const ScratchFolder folder;
  ASSERT_TRUE(recordRun({.ranks = 2, .steps = 3}, folder.path()));
  EXPECT_EQ(open(folder.path(), {{3, 9}})->journal().size(), 0U);
}

TEST(Slice, OfADamagedFileIsRefusedOrReadable) {
  const ScratchFolder folder;
  const auto path = folder.path() / "whole.shardlens", damaged = folder.path() / "a.shardlens";
  writeWithValues(path, [](Recorder& recorder) {
    recordSample(recorder);
    recordRandom(recorder, 7, 1500);
  });
  const auto [first, count] = mutationRange(300);
  int refused = 0;
  for (std::uint64_t number = first; number < first + count; ++number) {
    SCOPED_TRACE(Mutations(path).write(number, damaged));
    const auto slice = TraceReader::open({damaged}, Steps{{3, 20}});
    if (!slice) {
      ++refused;
      EXPECT_THAT(slice.error().message, StartsWith(damaged.string()));
      continue;
    }
    std::ignore = described((*slice)->journal(), {});
    const auto& values = (*slice)->journal().values();
    for (std::size_t i = 0; i < std::min<std::size_t>(values.size(), 100); ++i) {
      if (const auto value = values.at(i)) std::ignore = values.elements(*value);
    }
  }
  EXPECT_GT(refused, 0);
}

TEST(Slice, OfAnOldFormatIsRefused) {
  const auto slice = TraceReader::open(
      {std::filesystem::path(SHARDLENS_TRACE_FIXTURES) / "format_4.shardlens"}, Steps{{0, 0}});
  ASSERT_FALSE(slice);
  EXPECT_THAT(slice.error().message,
              HasSubstr("is of format 4, expected 5 to open some of its steps"));
}

}  // namespace
}  // namespace shardlens
