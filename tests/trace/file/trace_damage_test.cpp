#include "core/trace/file/page_checksums.h"
#include "core/trace/file/trace_open.h"
#include "core/trace/file/trace_schema.h"
#include "core/trace/file/trace_writer.h"
#include "core/trace/merge/trace_reader.h"
#include "tests/trace/mutations.h"
#include "tests/trace/sample_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <fstream>

namespace shardlens {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class TraceDamage : public ::testing::Test {
 protected:
  TraceDamage() {
    auto writer = TraceWriter::create(path_).value();
    Recorder recorder;
    recorder.addSink(*writer);
    recorder.setCapture(CaptureLevel::All);
    recordSample(recorder);
    recordLong(recorder, 2000);
  }

  void sql(const std::string& text) const {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open_v2(path_.c_str(), &handle, SQLITE_OPEN_READWRITE, checkedFileSystem()),
              SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, text.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(handle);
    sqlite3_close(handle);
  }

  // Returns the error of the reader, after the name of the file, with which it must begin. Returns
  // "opened" without an error.
  std::string refusal() const {
    const auto reader = TraceReader::open(path_);
    const std::string message = reader ? lookAtValues(**reader) : reader.error().message;
    if (message.empty()) return "opened";
    EXPECT_THAT(message, StartsWith(path_.string() + " "));
    return message.substr(path_.string().size() + 1);
  }

  static std::string lookAtValues(const TraceReader& reader) {
    const Journal& journal = reader.journal();
    for (std::size_t number = 0; number < journal.values().size(); ++number) {
      if (const auto value = journal.values().at(number)) journal.elements(*value);
    }
    for (TensorId id = 1; id <= journal.tensors(); ++id) {
      for (const int rank : journal.ranksOf(id)) (void)journal.value(id, rank, journal.size());
    }
    const auto leftOut = reader.leftOut();
    return leftOut.empty() ? std::string() : leftOut.front();
  }

  const ScratchFolder folder_;
  const std::filesystem::path path_ = folder_ / "run.shardlens";
};

TEST_F(TraceDamage, AnUndamagedRecordingOpens) { EXPECT_EQ(refusal(), "opened"); }

TEST_F(TraceDamage, NoFileAtAll) {
  std::filesystem::remove(path_);
  EXPECT_EQ(refusal(), "does not exist");
  std::filesystem::create_directory(path_);
  EXPECT_EQ(refusal(), "has no recordings: expected files named *.shardlens");
}

TEST_F(TraceDamage, NotSqlite) {
  std::ofstream(path_) << std::string(100000, 'x');
  EXPECT_EQ(refusal(), "is not a Shardlens recording: it is not an SQLite file");
  std::filesystem::resize_file(path_, 0);
  EXPECT_EQ(refusal(), "is not a Shardlens recording: it is empty");
}

TEST_F(TraceDamage, AnotherProgramsDatabase) {
  sql("PRAGMA application_id=7");
  EXPECT_EQ(refusal(),
            "is not a Shardlens recording: its application_id is 7, expected 1397247054");
}

TEST_F(TraceDamage, FormatThatIsNotRead) {
  sql("PRAGMA user_version=6");
  EXPECT_EQ(refusal(), "is of format 6, this Shardlens reads 4 to 5");
  sql("PRAGMA user_version=3");
  EXPECT_EQ(refusal(), "is of format 3, this Shardlens reads 4 to 5");
  sql("PRAGMA user_version=0");
  EXPECT_EQ(refusal(), "is damaged: its format is 0");
}

TEST_F(TraceDamage, Additions) {
  sql("CREATE TABLE later(x); ALTER TABLE specs ADD COLUMN later; INSERT INTO meta"
      " VALUES('later', '1')");
  EXPECT_EQ(refusal(), "opened");
}

TEST_F(TraceDamage, TruncatedAnywhere) {
  const auto size = std::filesystem::file_size(path_);
  for (const auto left : {size - 1, size / 2, std::uintmax_t{4096}, std::uintmax_t{5000}}) {
    std::filesystem::resize_file(path_, left);
    EXPECT_THAT(refusal(), StartsWith("is damaged: ")) << left;
    std::filesystem::resize_file(path_, size);
  }
}

// The page size of the header is read from the file again whenever the file has changed.
TEST_F(TraceDamage, PageSizesThatChangeWhileTheRecordingIsOpen) {
  const auto database = openRecording(path_).value();
  for (const int bytes : {0, 3, 512, 1000}) {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(16);
    file.put(static_cast<char>(bytes >> 8)).put(static_cast<char>(bytes));
    file.seekp(24);  // the change counter
    file.put(static_cast<char>(bytes >> 8)).put(static_cast<char>(bytes));
    file.close();
    for (int tries = 0; tries < 2; ++tries) {
      EXPECT_THROW(database->integer("SELECT count(*) FROM strings"), DatabaseError) << bytes;
    }
  }
}

TEST_F(TraceDamage, Overwritten) {
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(4096);
  file << std::string(std::filesystem::file_size(path_) - 4096, '\xff');
  file.close();
  EXPECT_THAT(refusal(), StartsWith("is damaged: "));
  EXPECT_THAT(refusal(), Not(HasSubstr("disk image")));  // SQLite's own words
}

// Flips one bit of each 2039th byte. A bit that no reader looks at may be flipped unnoticed.
TEST_F(TraceDamage, OneFlippedBitIsReportedOrChangesNothing) {
  const auto whole = TraceReader::open(path_).value();
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  std::string bytes(std::filesystem::file_size(path_), '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  int refused = 0;
  for (std::size_t at = 0; at < bytes.size(); at += 2039) {
    const auto put = [&](char byte) {
      file.seekp(static_cast<std::streamoff>(at));
      file.put(byte).flush();
    };
    put(static_cast<char>(bytes[at] ^ (1 << at % 8)));
    if (refusal() != "opened") {
      ++refused;
    } else {
      SCOPED_TRACE(at);
      expectSame(whole->journal(), TraceReader::open(path_).value()->journal());
    }
    put(bytes[at]);
  }
  EXPECT_EQ(refusal(), "opened");
  EXPECT_GT(refused, 30);
}

// The checksums of a recording that is not closed, or whose writer was killed, are not verified:
// the pages may come from a log that another program merged.
TEST_F(TraceDamage, AnotherProgramsPagesAreRefusedOnceSealed) {
  const auto change = [this](const char* statement) {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, statement, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(handle);
  };
  change("DELETE FROM meta WHERE key='sealed_pages'");
  EXPECT_EQ(refusal(), "opened");
  sql("INSERT INTO meta VALUES('sealed_pages', '1')");
  change("INSERT INTO bookmarks VALUES(1, 'here')");
  EXPECT_EQ(refusal(), "is damaged: a page does not match its checksum");
}

TEST_F(TraceDamage, AMissingTable) {
  sql("DROP TABLE shard_values");
  EXPECT_EQ(refusal(), "is damaged: no such table: shard_values");
}

TEST_F(TraceDamage, TablesWithoutEnd) {
  sql("DROP TABLE strings; CREATE VIEW strings AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL"
      " SELECT id+1 FROM n) SELECT id, 'x' AS text FROM n");
  EXPECT_EQ(refusal(), "is damaged: its tables are computed, not stored");
}

TEST_F(TraceDamage, ComputedColumns) {
  sql("ALTER TABLE strings ADD COLUMN more AS (zeroblob(1000000000))");
  EXPECT_EQ(refusal(), "is damaged: its tables are computed, not stored");
}

TEST_F(TraceDamage, RowsThatCannotBe) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"DELETE FROM strings WHERE id=3", "text 3 is missing"},
      {"DELETE FROM specs WHERE id=2", "spec 2 is missing"},
      {"UPDATE tensor_blocks SET first=2 WHERE first=1", "tensor 1 is missing"},
      {"UPDATE tensor_blocks SET count=7 WHERE first=1", "bytes for 7 tensors"},
      {"UPDATE tensor_blocks SET records=records || x'00' WHERE first=1", "bytes for"},
      // Tensor 1 has the id of a missing name, of a missing spec, and no spec.
      {"UPDATE tensor_blocks SET records=x'ffffff7f01000000' || substr(records, 9) WHERE first=1",
       "tensor 1 refers to a missing entry"},
      {"UPDATE tensor_blocks SET records=x'00000000ffffff7f' || substr(records, 9) WHERE first=1",
       "tensor 1 refers to a missing entry"},
      {"UPDATE tensor_blocks SET records=zeroblob(8) || substr(records, 9) WHERE first=1",
       "tensor 1 refers to a missing entry"},
      {"DELETE FROM blocks WHERE first=1025", "event 2049"},
      {"UPDATE blocks SET count=7 WHERE first=1", "the block of event 1 is not that of 7 events"},
      {"UPDATE blocks SET count=1025 WHERE first=1", "the block of event 1 has 1025 events"},
      {"UPDATE blocks SET count=0 WHERE first=1", "the block of event 1 has 0 events"},
      {"UPDATE blocks SET records=x'' WHERE first=1", "is not that of 1024 events"},
      {"UPDATE blocks SET records=substr(records, 1, 100) WHERE first=1",
       "is not that of 1024 events"},
      {"UPDATE specs SET dtype='f8' WHERE id=1", "spec 1 has the dtype f8"},
      {"UPDATE specs SET shape='wide' WHERE id=1", "spec 1 has the shape wide"},
      {"UPDATE specs SET shape='[-1,3]' WHERE id=1", "spec 1 has the shape [-1,3]"},
      {"UPDATE specs SET shape='[4294967296,4294967296]' WHERE id=1", "spec 1 has the shape ["},
      {"UPDATE specs SET shape='\"' || replace(hex(zeroblob(50000)), '0', 'x') || '\"' WHERE "
       "id=1",
       "spec 1 has the shape \"" + std::string(79, 'x') + "..."},
      {"UPDATE specs SET placements='[\"X\"]' WHERE id=1", "spec 1 has the placements"},
      {"UPDATE specs SET placements='[\"S(2)\"]' WHERE id=1", "spec 1 has the placements"},
      {"UPDATE specs SET placements='[\"S(-1)\"]' WHERE id=1", "spec 1 has the placements"},
      {"UPDATE specs SET placements='[\"SS(0, 65537)\"]' WHERE id=1", "spec 1 has the placements"},
      {"UPDATE specs SET mesh='{\"shape\": [2]}' WHERE id=1", "spec 1 has the mesh {"},
      {"UPDATE specs SET mesh='{\"shape\":[2],\"names\":[],\"ranks\":[1]}' WHERE id=1",
       "spec 1 has the mesh {"},
      {"UPDATE shard_values SET tensor=100000 WHERE id=1", "value 1 refers to a missing entry"},
      {"UPDATE shard_values SET id=100000000 WHERE id=1", "value 100000000 is not one of so many"},
      {"UPDATE shard_values SET content=100000 WHERE id=1", "content 100000 is missing"},
      {"UPDATE contents SET size=1 WHERE id=1", "content 1 has 1 bytes, expected 12"},
      {"UPDATE contents SET data=x'00' WHERE id=1", "content 1 is not that of 12 bytes"},
      {"UPDATE shard_values SET shape='[3]' WHERE id=1",
       "value 1 has the shape [3], of a tensor of shape [10, 3]"},
      {"UPDATE shard_values SET shape='[9223372036854775807,3]', content=NULL WHERE id=1",
       "value 1 has the shape [9223372036854775807,3]"},
  };
  const auto whole = folder_ / "whole";
  std::filesystem::copy_file(path_, whole);
  for (const auto& [change, reason] : cases) {
    sql(change);
    EXPECT_THAT(refusal(), StartsWith("is damaged: ")) << change;
    EXPECT_THAT(refusal(), HasSubstr(reason)) << change;
    std::filesystem::copy_file(whole, path_, std::filesystem::copy_options::overwrite_existing);
  }
}

TEST_F(TraceDamage, EventsThatCannotBe) {
  using Change = void (*)(Event&);
  const std::vector<std::pair<Change, std::string>> cases = {
      {[](Event& event) { event.name = 0x7fffffff; }, "event 3 refers to a missing entry"},
      {[](Event& event) { event.kind = EventKind{0x63}; }, "event 3 refers to a missing entry"},
      {[](Event& event) { event.parent = 3; }, "event 3 refers to a missing entry"},
      {[](Event& event) { event.step = -2; }, "event 3 has the step -2, expected -1 or more"},
      {[](Event& event) { event.line = -1; }, "event 3 has the line -1, expected 0 or more"},
      {[](Event& event) { event.meshDim = -2; },
       "event 3 has the mesh dimension -2, expected -1 or more"},
      {[](Event& event) { event.bytes = -1; }, "event 3 has the bytes -1, expected 0 or more"},
      {[](Event& event) { event.duration = -2; },
       "event 3 has the duration -2, expected -1 or more"},
      {[](Event& event) { event.duration = kFarthestTime + 1; },
       "event 3 has the duration 2305843009213693953, expected at most 2305843009213693952"},
      {[](Event& event) { event.time = kFarthestTime + 1; },
       "event 3 has the time 2305843009213693953, expected at most 2305843009213693952"},
      {[](Event& event) { event.time = -kFarthestTime - 1; },
       "event 3 has the time -2305843009213693953, expected at most 2305843009213693952"},
      {[](Event& event) { event.exposed = kFarthestTime + 1; },
       "event 3 has the exposed time 2305843009213693953, expected at most 2305843009213693952"},
      // A tensor shares a hold, and a hold ends, before any hold exists.
      {[](Event& event) {
         event.kind = EventKind::Result;
         event.subject = 1;
         event.count = 3;
       },
       "event 3 refers to a missing entry"},
      {[](Event& event) {
         event.kind = EventKind::MaskReleased;
         event.related = 3;
       },
       "event 3 refers to a missing entry"},
      {[](Event& event) { event.route = 1; }, "event 3 refers to a missing entry"},
      {[](Event& event) { event.subkind = 200; }, "event 3 refers to a missing entry"},
      // A lookup hits an entry that no lookup has made.
      {[](Event& event) {
         event.kind = EventKind::CacheLookup;
         event.subject = 1;
       },
       "event 3 refers to a missing entry"},
  };
  for (const auto& [change, reason] : cases) {
    const auto changed = folder_ / "changed";
    std::filesystem::copy_file(path_, changed, std::filesystem::copy_options::overwrite_existing);
    changeBlock(changed, 1, [&](std::span<Event> events) { change(events[2]); });
    const auto reader = TraceReader::open(changed);
    ASSERT_FALSE(reader) << reason;
    EXPECT_EQ(reader.error().message, changed.string() + " is damaged: " + reason);
  }
}

}  // namespace
}  // namespace shardlens
