// Tests the values of a recording: equal contents are stored once, and are read on access.
#include "core/trace/events/element_hash.h"
#include "core/trace/file/trace_writer.h"
#include "core/trace/merge/trace_reader.h"
#include "tests/trace/sample_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cmath>
#include <random>

namespace shardlens {
namespace {

using ::testing::ElementsAre;

class TraceValues : public ::testing::Test {
 protected:
  TraceValues() {
    writer_ = TraceWriter::create(path_).value();
    recorder_.addSink(*writer_);
    recorder_.setCapture(CaptureLevel::All);
    tensor_ = recorder_.addTensor("w", {DType::UInt8, {8}, {Replicate{}}});
    note();
  }

  EventId note() { return recorder_.note(Event{}); }
  void record(int rank, const std::vector<std::uint8_t>& elements) {
    const auto size = static_cast<std::int64_t>(elements.size());
    recordValue(recorder_, valueOf<std::uint8_t>(tensor_, rank, {size}, elements));
  }
  std::int64_t number(const std::string& sql) const {
    sqlite3* handle = nullptr;
    sqlite3_stmt* row = nullptr;
    EXPECT_EQ(sqlite3_open(path_.c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_prepare_v2(handle, sql.c_str(), -1, &row, nullptr), SQLITE_OK);
    EXPECT_EQ(sqlite3_step(row), SQLITE_ROW);
    const std::int64_t found = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    sqlite3_close(handle);
    return found;
  }
  static std::vector<std::uint8_t> elements(const Journal& journal, const ValueRecord& value) {
    const auto content = journal.elements(value);
    const auto* first = reinterpret_cast<const std::uint8_t*>(content->data());
    return {first, first + content->size()};
  }

  const ScratchFolder folder_;
  const std::filesystem::path path_ = folder_ / "run.shardlens";
  std::unique_ptr<TraceWriter> writer_;
  Recorder recorder_;
  TensorId tensor_ = 0;
};

TEST_F(TraceValues, NotANumberIsFoundBetweenTwoEvents) {
  Journal kept;
  Recorder inMemory;
  inMemory.addSink(kept);
  inMemory.setCapture(CaptureLevel::All);
  inMemory.note(Event{});
  for (Recorder* recorder : {&recorder_, &inMemory}) {
    const TensorId x = recorder->addTensor("x", {DType::Float32, {1}, {Replicate{}}});
    for (const float value : {1.0F, std::nanf(""), 1.0F, std::nanf(""), std::nanf("")}) {
      recorder->note(Event{});
      for (const int rank : {0, 1}) recordValue(*recorder, valueOf<float>(x, rank, {1}, {value}));
    }
  }
  ASSERT_TRUE(writer_->close());
  const auto reader = TraceReader::open(path_).value();
  for (const ShardValues* values : {&kept.values(), &reader->journal().values()}) {
    EXPECT_THAT(values->eventsWithNans(0, 6), ElementsAre(3, 5, 6));
    EXPECT_THAT(values->eventsWithNans(3, 5), ElementsAre(5));
    EXPECT_THAT(values->eventsWithNans(2, 3), ElementsAre(3));
    EXPECT_THAT(values->eventsWithNans(3, 4), ElementsAre());
    EXPECT_THAT(values->eventsWithNans(0, ~EventId{0}), ElementsAre(3, 5, 6));
  }
}

TEST_F(TraceValues, AContentIsWrittenOnce) {
  for (int step = 0; step < 3; ++step) {
    record(0, {1, 2, 3});
    ASSERT_TRUE(writer_->flush());
    note();
  }
  record(1, {1, 2, 3});
  record(2, {1, 2, 4});
  ASSERT_TRUE(writer_->close());
  EXPECT_EQ(number("SELECT count(*) FROM shard_values"), 5);
  EXPECT_EQ(number("SELECT count(*) FROM contents"), 2);
  const auto reader = TraceReader::open(path_).value();
  const Journal& journal = reader->journal();
  EXPECT_THAT(elements(journal, journal.value(tensor_, 1, 4).value()), ElementsAre(1, 2, 3));
  EXPECT_THAT(elements(journal, journal.value(tensor_, 2, 4).value()), ElementsAre(1, 2, 4));
}

// Two vectors without elements, whose data() is null: the comparison must not call memcmp() with
// it.
TEST_F(TraceValues, AnEmptyContentIsWrittenOnce) {
  for (int step = 0; step < 2; ++step) {
    record(0, {});
    ASSERT_TRUE(writer_->flush());
    note();
  }
  ASSERT_TRUE(writer_->close());
  EXPECT_EQ(number("SELECT count(*) FROM shard_values"), 2);
  EXPECT_EQ(number("SELECT count(*) FROM contents"), 1);
}

// Large values have a hash instead of elements.
TEST_F(TraceValues, AHashIsStoredBesideTheStatistics) {
  recorder_.setCapture(CaptureLevel::All, 2);
  record(0, {1, 2, 3});
  record(1, {1, 2});
  ASSERT_TRUE(writer_->close());
  const auto reader = TraceReader::open(path_).value();
  const Journal& journal = reader->journal();
  const auto large = journal.value(tensor_, 0, 1).value();
  EXPECT_EQ(large.level, CaptureLevel::Hashes);
  EXPECT_EQ(large.statistics.max, 3);
  const std::vector<std::uint8_t> bytes{1, 2, 3};
  EXPECT_EQ(large.hash, elementHash(std::as_bytes(std::span(bytes))));
  EXPECT_EQ(journal.elements(large), nullptr);
  EXPECT_EQ(journal.value(tensor_, 1, 1)->level, CaptureLevel::All);
  EXPECT_EQ(number("SELECT count(hash) FROM shard_values"), 1);
}

TEST_F(TraceValues, AContentIsCompressedWhereThatPays) {
  std::mt19937 random(7);
  std::vector<std::uint8_t> noise(4096);
  for (auto& byte : noise) byte = static_cast<std::uint8_t>(random());
  const std::vector<std::uint8_t> zeros(4096), none;
  record(0, noise);
  record(1, zeros);
  record(2, none);
  ASSERT_TRUE(writer_->close());
  EXPECT_EQ(number("SELECT length(data) FROM contents WHERE id=1"), 4096);
  EXPECT_LT(number("SELECT length(data) FROM contents WHERE id=2"), 64);
  EXPECT_EQ(number("SELECT length(data) FROM contents WHERE id=3"), 0);
  const auto reader = TraceReader::open(path_).value();
  const Journal& journal = reader->journal();
  EXPECT_THAT(journal.ranksOf(tensor_), ElementsAre(0, 1, 2));
  EXPECT_EQ(elements(journal, journal.value(tensor_, 0, 1).value()), noise);
  EXPECT_EQ(elements(journal, journal.value(tensor_, 1, 1).value()), zeros);
  EXPECT_EQ(elements(journal, journal.value(tensor_, 2, 1).value()), none);
}

TEST_F(TraceValues, TheNewestAtAPositionIsFound) {
  record(0, {1});
  note();
  record(0, {2});
  record(0, {3});
  const TensorId other = recorder_.addTensor("x", {DType::UInt8, {8}, {Replicate{}}});
  recordValue(recorder_, valueOf<std::uint8_t>(other, 1, {1}, {9}));
  note();
  ASSERT_TRUE(writer_->close());
  const auto reader = TraceReader::open(path_).value();
  const Journal& journal = reader->journal();
  EXPECT_FALSE(journal.value(tensor_, 0, 0));
  EXPECT_THAT(elements(journal, journal.value(tensor_, 0, 1).value()), ElementsAre(1));
  EXPECT_THAT(elements(journal, journal.value(tensor_, 0, 2).value()), ElementsAre(3));
  EXPECT_THAT(elements(journal, journal.value(tensor_, 0, 3).value()), ElementsAre(3));
  EXPECT_FALSE(journal.value(tensor_, 1, 3));
  EXPECT_FALSE(journal.value(other, 0, 3));
  EXPECT_THAT(journal.ranksOf(other), ElementsAre(1));
}

// Ranks are looked up in any order, at any position, and while more values are recorded.
TEST_F(TraceValues, TheNewestOfEachRankIsFound) {
  record(0, {1});
  record(7, {2});
  note();
  record(7, {3});
  record(9, {4});
  record(9, {5});
  ASSERT_TRUE(writer_->flush());
  const auto reader = TraceReader::open(path_).value();
  const Journal& journal = reader->journal();
  const auto held = [&](EventId position) {
    std::string text;
    for (const int rank : {9, 0, 7, 8, 0}) {
      const auto value = journal.value(tensor_, rank, position);
      text += value ? std::to_string(elements(journal, *value).front()) : "-";
    }
    return text;
  };
  EXPECT_EQ(held(0), "-----");
  EXPECT_EQ(held(1), "-12-1");
  EXPECT_EQ(held(2), "513-1");
  EXPECT_EQ(held(1), "-12-1");
  record(8, {6});
  EXPECT_EQ(held(2), "513-1");
  ASSERT_TRUE(writer_->close());
  ASSERT_TRUE(reader->refresh().value());
  EXPECT_EQ(held(2), "51361");
}

// Reads far more values than fit in the cache, in turn and again.
TEST_F(TraceValues, ManyAreReadOneAfterTheOther) {
  constexpr int kValues = 700;
  recorder_.setCapture(CaptureLevel::All, std::size_t{1} << 20);
  const auto content = [](int rank) {
    return std::vector<std::uint8_t>(std::size_t{128} << 10, static_cast<std::uint8_t>(rank));
  };
  for (int rank = 0; rank < kValues; ++rank) record(rank, content(rank));
  ASSERT_TRUE(writer_->close());
  const auto reader = TraceReader::open(path_).value();
  const Journal& journal = reader->journal();
  for (int round = 0; round < 2; ++round) {
    for (int rank = 0; rank < kValues; ++rank) {
      ASSERT_EQ(elements(journal, journal.value(tensor_, rank, 1).value()), content(rank));
    }
  }
  EXPECT_THAT(reader->leftOut(), ElementsAre());
}

}  // namespace
}  // namespace shardlens
