#include "core/trace/file/trace_writer.h"
#include "core/trace/journal/event_names.h"
#include "core/trace/merge/trace_reader.h"
#include "tests/trace/sample_run.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <limits>

namespace shardlens {
namespace {

using Row = std::vector<std::string>;

std::vector<Row> query(const std::filesystem::path& path, const std::string& sql) {
  sqlite3* handle = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
  std::vector<Row> rows;
  const auto take = [](void* context, int columns, char** texts, char**) {
    Row row;
    for (int i = 0; i < columns; ++i) row.emplace_back(texts[i] == nullptr ? "NULL" : texts[i]);
    static_cast<std::vector<Row>*>(context)->push_back(std::move(row));
    return 0;
  };
  EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), take, &rows, nullptr), SQLITE_OK)
      << sqlite3_errmsg(handle);
  sqlite3_close(handle);
  return rows;
}

Row rowOf(const Journal& journal, EventId id) {
  const Event& event = journal.at(id);
  const auto text = [&](StringId string) { return std::string(journal.text(string)); };
  const bool running = event.duration == Event::kRunning;
  return {std::to_string(id),
          std::to_string(event.time),
          running ? "NULL" : std::to_string(event.duration),
          std::to_string(event.bytes),
          std::to_string(event.parent),
          text(event.name),
          text(event.detail),
          text(event.ranks),
          std::to_string(event.subject),
          std::to_string(event.related),
          std::to_string(event.line),
          std::to_string(event.step),
          std::to_string(event.count),
          std::string(kindName(event.kind)),
          std::string(verdictName(event.verdict)),
          std::to_string(event.meshDim)};
}

// Every field at both of its ends, as far as a reader takes them.
Event extreme(bool low) {
  Event event;
  event.time = low ? std::numeric_limits<std::int64_t>::min() : INT64_MAX;
  event.duration = low ? 0 : INT64_MAX;
  event.bytes = low ? 0 : 0x0123456789abcdef;
  event.line = low ? 0 : INT32_MAX;
  event.step = low ? -1 : 0x01234567;
  event.count = low ? INT32_MIN : INT32_MAX;
  event.kind = low ? EventKind::Step : EventKind::MaskMaterialized;
  event.subject = low ? 0 : 0xfedcba98;
  event.verdict = low ? Verdict::None : Verdict::Explicit;
  event.meshDim = low ? -1 : 127;
  return event;
}

TEST(TraceView, GivesTheEventsTheReaderGives) {
  const ScratchFolder folder;
  const auto path = folder / "run.shardlens";
  {
    auto writer = TraceWriter::create(path).value();
    Recorder recorder;
    recorder.addSink(*writer);
    recordSample(recorder);
    recordLong(recorder, 400);
    const EventId open = recorder.begin(Event{});
    writer->onEvent(open + 1, extreme(/*low=*/true));
    writer->onEvent(open + 2, extreme(/*low=*/false));
  }
  const auto reader = TraceReader::open(path).value();
  const auto rows = query(path, "SELECT * FROM events");
  ASSERT_EQ(rows.size(), reader->journal().size());
  for (EventId id = 1; id <= rows.size(); ++id) {
    ASSERT_EQ(rows[id - 1], rowOf(reader->journal(), id));
  }
}

TEST(TraceView, IsEmptyForAnEmptyRecordingAndAnswersQuestions) {
  const ScratchFolder folder;
  const auto path = folder / "run.shardlens";
  auto writer = TraceWriter::create(path).value();
  ASSERT_TRUE(writer->flush());
  EXPECT_TRUE(query(path, "SELECT * FROM events").empty());
  Recorder recorder;
  recorder.addSink(*writer);
  recordSample(recorder);
  ASSERT_TRUE(writer->flush());
  EXPECT_EQ(query(path, "SELECT name, sum(bytes) FROM events WHERE kind='Collective' GROUP BY 1"),
            (std::vector<Row>{{"all_reduce", "96"}}));
  EXPECT_EQ(query(path, "SELECT json_extract(placements, '$[0]') FROM tensors WHERE name='y'"),
            (std::vector<Row>{{"MaskP(sum, [10, 3], 0)"}}));
}

}  // namespace
}  // namespace shardlens
