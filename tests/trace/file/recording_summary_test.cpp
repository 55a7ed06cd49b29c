#include "core/trace/file/recording_summary.h"

#include "app/bench/run_case.h"
#include "core/trace/file/trace_writer.h"
#include "core/trace/recorder/event_makers.h"
#include "tests/trace/sample_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace shardlens {
namespace {

using ::testing::StartsWith;

void execute(const std::filesystem::path& path, const std::string& sql) {
  Database(path, Database::Access::ReadWrite).execute(sql);
}

// The summary that follows from the events alone.
RecordingSummary summaryWithoutSegments(const std::filesystem::path& path) {
  execute(path, "DELETE FROM segments; DELETE FROM segment_totals;");
  return summarize(path).value();
}

void record(const std::filesystem::path& path, int operators) {
  auto writer = TraceWriter::create(path).value();
  Recorder recorder;
  recorder.addSink(*writer);
  recordSample(recorder);
  recordLong(recorder, operators);
  recorder.begin(Event{});  // a span that never ends
  ASSERT_TRUE(writer->close());
}

TEST(RecordingSummary, FollowsFromTheSegmentsAsFromTheEvents) {
  const ScratchFolder folder;
  const auto path = folder / "run.shardlens";
  record(path, 30'000);
  const auto summary = summarize(path).value();
  EXPECT_EQ(summary.events, 19 + 1 + 3 * 30'000 + 1);
  EXPECT_EQ(summary.segments, 2);
  EXPECT_GE(summary.running, 1);
  EXPECT_EQ(summary.count(EventKind::Collective), 1);
  EXPECT_TRUE(summary.isClosed);
  EXPECT_EQ(summary, summaryWithoutSegments(path));
}

TEST(RecordingSummary, OfCollectivesIsTheSameFromSegments) {
  const ScratchFolder folder;
  const RunCase hang{.ranks = 4, .steps = 3, .fault = RunCase::Fault::Hang, .faulty = 1};
  ASSERT_TRUE(recordRun(hang, folder.path()));
  for (const auto& name : folder.names()) {
    const auto summary = summarize(folder / name).value();
    EXPECT_EQ(summary.running, name == "rank-1.shardlens" ? 1 : 2) << name;
    EXPECT_EQ(summary, summaryWithoutSegments(folder / name)) << name;
  }
}

TEST(RecordingSummary, OfAnOlderRecordingReadsItsEvents) {
  const ScratchFolder folder;
  const auto path = folder / "run.shardlens";
  record(path, 10);
  const auto summary = summarize(path).value();
  execute(path, "DROP TABLE segments; DROP TABLE segment_totals;");
  EXPECT_EQ(summarize(path).value(), summary);
}

TEST(RecordingSummary, ReportsDamagedSegments) {
  const ScratchFolder folder;
  const auto path = folder / "run.shardlens";
  const auto expect = [&](const char* sql, const std::string& reason) {
    record(path, 10);
    execute(path, sql);
    const auto summary = summarize(path);
    ASSERT_FALSE(summary) << sql;
    EXPECT_EQ(summary.error().message, path.string() + " is damaged: " + reason);
  };
  expect("UPDATE segments SET count = count + 1",
         "the segment of event 1 has the sum of counts 51");
  expect("UPDATE segments SET first = 2", "the segment of event 1 has the first event 2");
  expect("UPDATE segment_totals SET kind = 99", "the segment of event 1 has the kind 99");
  expect("UPDATE segment_totals SET ranks = 1000000",
         "the segment of event 1 has the text 1000000");
  expect("DELETE FROM segments", "there are totals of segment 1, which does not exist");
}

TEST(RecordingSummary, WithAnyNumbersIsReadOrRefused) {
  const ScratchFolder folder;
  record(folder / "whole.shardlens", 10);
  const auto path = folder / "run.shardlens";
  int refused = 0;
  for (const std::string table : {"segments", "segment_totals"}) {
    Database whole(folder / "whole.shardlens", Database::Access::ReadWrite);
    Statement columns(whole, "SELECT name FROM pragma_table_info('" + table + "')");
    while (columns.step()) {
      for (const char* value : {"-9223372036854775808", "-2", "0", "255", "4294967296",
                                "9223372036854775807", "'text'", "1e300"}) {
        std::filesystem::copy_file(folder / "whole.shardlens", path,
                                   std::filesystem::copy_options::overwrite_existing);
        const std::string column(columns.text(0));
        try {
          execute(path, "UPDATE OR REPLACE " + table + " SET " + column + " = " + value);
        } catch (const DatabaseError&) {
          continue;  // a key has to be an integer
        }
        const auto summary = summarize(path);
        if (summary) continue;
        ++refused;
        EXPECT_THAT(summary.error().message, StartsWith(path.string())) << column;
      }
    }
  }
  EXPECT_GT(refused, 50);
}

// A sink that kills the process at an event, and flushes now and then before.
class KillerAt final : public EventSink {
 public:
  KillerAt(TraceWriter& writer, EventId last) : writer_(writer), last_(last) {}
  void onMeta(std::string_view /*key*/, std::string_view /*value*/) override {}
  void onString(StringId /*id*/, std::string_view /*text*/) override {}
  void onSpec(SpecId /*id*/, const Spec& /*spec*/) override {}
  void onRoute(RouteId /*id*/, const Route& /*route*/) override {}
  void onTensor(TensorId /*id*/, StringId /*name*/, SpecId /*spec*/) override {}
  void onValue(const ValueRecord& /*value*/) override {}
  void onEnd(EventId /*id*/, std::int64_t /*duration*/) override {}
  void onEvent(EventId id, const Event& /*event*/, std::span<const TensorId>) override {
    if (id % 6'000 == 0 && !writer_.flush()) ::_exit(2);
    if (id == last_) std::raise(SIGKILL);
  }

 private:
  TraceWriter& writer_;
  EventId last_;
};

// Records steps of 33 events.
void recordSteps(Recorder& recorder, int steps) {
  const TensorId tensor = recorder.addTensor("x", {DType::Float32, {4}, {Replicate{}}});
  for (int step = 0; step < steps; ++step) {
    recorder.setStep(step, 1);
    const Span all(recorder, makeStep(recorder, "train(batch)"));
    for (int i = 0; i < 16; ++i) {
      const Span span(recorder, makeOperator(recorder, "aten.add"));
      recorder.note(makeResult(recorder, "x", tensor, 64, 0));
    }
  }
}

void recordAndDieAt(const std::filesystem::path& path, EventId last) {
  const pid_t child = ::fork();
  if (child == 0) {
    auto writer = TraceWriter::create(path).value();
    KillerAt killer(*writer, last);
    Recorder recorder;
    recorder.addSink(*writer);
    recorder.addSink(killer);
    recordSteps(recorder, 5'000);
    ::_exit(1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << last;
}

// Kills the writer before, while and after it seals segments. The segments in the file never say
// more than its events.
TEST(RecordingSummary, OfAKilledWriterIsThatOfTheEventsInTheFile) {
  const ScratchFolder folder;
  const auto path = folder / "run.shardlens";
  int sealed = 0;
  for (EventId kill = 0; kill < 50; ++kill) {
    ::setenv("SHARDLENS_JOURNAL", kill % 2 == 0 ? "wal" : "rollback", 1);
    recordAndDieAt(path, 60'000 + 409 * kill);
    ::unsetenv("SHARDLENS_JOURNAL");
    const auto summary = summarize(path);
    ASSERT_TRUE(summary) << summary.error().message;
    EXPECT_FALSE(summary->isClosed);
    const auto reader = TraceReader::open(path).value();
    EXPECT_EQ(summary->events, reader->journal().size());
    Database database(path, Database::Access::ReadWrite);
    const auto segments = readSegments(database);
    sealed += static_cast<int>(segments.size());
    if (segments.empty()) continue;
    EXPECT_LE(segments.back().last(), reader->journal().size());
    std::int64_t bytes = 0, stored = 0;
    for (EventId id = 1; id <= segments.back().last(); ++id)
      bytes += reader->journal().at(id).bytes;
    for (const auto& [key, totals] : segments.front().totals.all()) stored += totals.bytes;
    EXPECT_EQ(stored, bytes) << kill;
  }
  EXPECT_GT(sealed, 0);
}

}  // namespace
}  // namespace shardlens
