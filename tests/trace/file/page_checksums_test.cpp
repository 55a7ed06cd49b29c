// Tests that pages which are not at their place are reported, and that recordings of before format
// 5.3, whose checksums do not depend on the place, are verified as before.
#include "core/trace/file/page_checksums.h"

#include "core/trace/file/bookmark_file.h"
#include "core/trace/file/database.h"
#include "core/trace/file/trace_create.h"
#include "core/trace/file/trace_writer.h"
#include "core/trace/merge/trace_reader.h"
#include "tests/trace/sample_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <array>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace shardlens {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr std::size_t kPage = 4096;
constexpr const char* kMismatch = " is damaged: a page does not match its checksum";

class PageChecksums : public ::testing::Test {
 protected:
  PageChecksums() {
    auto writer = TraceWriter::create(path_).value();
    Recorder recorder;
    recorder.addSink(recorded_);
    recorder.addSink(*writer);
    recorder.setCapture(CaptureLevel::All);
    recordSample(recorder);
    recordLong(recorder, 400);
    recorder.removeSinks();
    EXPECT_TRUE(writer->close());
    writer.reset();
    load();
  }

  void load() {
    bytes_.resize(std::filesystem::file_size(path_));
    std::ifstream(path_, std::ios::binary)
        .read(bytes_.data(), static_cast<std::streamsize>(bytes_.size()));
  }
  void store() const { std::ofstream(path_, std::ios::binary) << bytes_; }

  std::size_t pages() const { return bytes_.size() / kPage; }
  char* page(std::size_t number) { return bytes_.data() + (number - 1) * kPage; }

  // Writes the checksum of SQLite's checksum VFS to a page.
  void putPlainChecksum(std::size_t number) {
    std::array<std::uint32_t, 2> sums{}, words{};
    char* data = page(number);
    for (std::size_t at = 0; at + kChecksumBytes < kPage; at += sizeof(words)) {
      std::memcpy(words.data(), data + at, sizeof(words));
      sums[0] += words[0] + sums[1];
      sums[1] += words[1] + sums[0];
    }
    std::memcpy(data + kPage - kChecksumBytes, sums.data(), sizeof(sums));
  }
  // Makes the recording one that a version before format 5.3 closed.
  void makeOlder() {
    Database(path_, Database::Access::ReadWrite)
        .execute("UPDATE meta SET key='sealed' WHERE key='sealed_pages'");
    load();
    for (std::size_t number = 1; number <= pages(); ++number) putPlainChecksum(number);
    store();
  }

  // Returns the numbers of the pages that cannot be read.
  std::vector<std::size_t> refused(ChecksumRule rule) const {
    sqlite3* handle = nullptr;
    sqlite3_open_v2(path_.c_str(), &handle, SQLITE_OPEN_READONLY, checkedFileSystem());
    sqlite3_exec(handle, "PRAGMA schema_version", nullptr, nullptr, nullptr);
    sqlite3_file_control(handle, "main", kVerifyChecksums, &rule);
    sqlite3_file* file = nullptr;
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    std::vector<std::size_t> numbers;
    std::array<char, kPage> data{};
    for (std::size_t number = 1; number <= pages(); ++number) {
      const auto offset = static_cast<sqlite3_int64>((number - 1) * kPage);
      const int code = file->pMethods->xRead(file, data.data(), int{kPage}, offset);
      if (code == SQLITE_IOERR_DATA) numbers.push_back(number);
    }
    sqlite3_close(handle);
    return numbers;
  }
  std::vector<std::size_t> refusedNow() const {
    store();
    return refused(ChecksumRule::Numbered);
  }

  // Opens the recording and reads its values. Returns an empty text without an error.
  std::string errorOfReader() const {
    const auto reader = TraceReader::open(path_);
    if (!reader) return reader.error().message;
    const Journal& journal = (*reader)->journal();
    for (std::size_t number = 0; number < journal.values().size(); ++number) {
      if (const auto value = journal.values().at(number)) (void)journal.elements(*value);
    }
    for (TensorId id = 1; id <= journal.tensors(); ++id) {
      for (const int rank : journal.ranksOf(id)) (void)journal.value(id, rank, journal.size());
    }
    const auto leftOut = (*reader)->leftOut();
    return leftOut.empty() ? std::string() : leftOut.front();
  }
  // Swaps two pages and expects that the reader reports damage, or that it shows the same. Returns
  // 1 if it reports damage, else 0.
  int expectReported(std::size_t one, std::size_t other) {
    SCOPED_TRACE(::testing::Message() << one << " and " << other);
    std::swap_ranges(page(one), page(one) + kPage, page(other));
    store();
    const std::string error = errorOfReader();
    if (error.empty()) {
      expectSame(recorded_, TraceReader::open(path_).value()->journal());
    } else {
      EXPECT_THAT(error, StartsWith(path_.string() + " is damaged: "));
    }
    std::swap_ranges(page(one), page(one) + kPage, page(other));
    store();
    return error.empty() ? 0 : 1;
  }

  std::int64_t countOf(const std::string& key) const {
    return Database(path_, Database::Access::ReadOnly)
        .integer("SELECT count(*) FROM meta WHERE key='" + key + "'");
  }

  const ScratchFolder folder_;
  const std::filesystem::path path_ = folder_ / "run.shardlens";
  Journal recorded_;
  std::string bytes_;
};

TEST_F(PageChecksums, APageAtThePlaceOfAnotherIsRefused) {
  EXPECT_THAT(refusedNow(), IsEmpty());
  std::swap_ranges(page(3), page(3) + kPage, page(6));
  EXPECT_THAT(refusedNow(), ElementsAre(3, 6));
  std::swap_ranges(page(3), page(3) + kPage, page(6));
  EXPECT_THAT(refusedNow(), IsEmpty());
  std::copy_n(page(3), kPage, page(6));
  EXPECT_THAT(refusedNow(), ElementsAre(6));
}

TEST_F(PageChecksums, APageOfZerosIsRefused) {
  std::fill_n(page(5), kPage, '\0');
  EXPECT_THAT(refusedNow(), ElementsAre(5));
}

TEST_F(PageChecksums, TheReaderReportsNeighboursThatAreSwapped) {
  int reported = 0;
  for (std::size_t number = 2; number < pages(); ++number)
    reported += expectReported(number, number + 1);
  EXPECT_GT(reported, 10);
}

// Whether pages are verified depends on the metadata.
TEST_F(PageChecksums, TheReaderReportsSwappedPagesOfTheMetadata) {
  const auto root = static_cast<std::size_t>(
      Database(path_, Database::Access::ReadOnly)
          .integer("SELECT rootpage FROM sqlite_master WHERE name='meta'"));
  for (std::size_t number = 3; number <= pages(); ++number) {
    EXPECT_EQ(expectReported(root, number), 1) << number;
  }
}

TEST_F(PageChecksums, AnOlderVersionMayHaveWrittenAPageSince) {
  putPlainChecksum(4);
  EXPECT_THAT(refusedNow(), IsEmpty());
  ++*page(4);
  EXPECT_THAT(refusedNow(), ElementsAre(4));
}

TEST_F(PageChecksums, OfAnOlderRecordingAreVerifiedAsBefore) {
  makeOlder();
  EXPECT_EQ(errorOfReader(), "");
  EXPECT_THAT(refused(ChecksumRule::Plain), IsEmpty());
  int reported = 0;
  for (std::size_t number = 2; number <= pages(); ++number) {
    ++page(number)[kPage / 2];
    store();
    EXPECT_THAT(refused(ChecksumRule::Plain), ElementsAre(number));
    reported += errorOfReader() == path_.string() + kMismatch ? 1 : 0;
    --page(number)[kPage / 2];
  }
  EXPECT_GT(reported, 10);
}

TEST_F(PageChecksums, OfAnOlderRecordingStayReadableForOlderVersions) {
  makeOlder();
  const std::vector<BookmarkChange> changes{{EventId{1}, std::string("here")}};
  ASSERT_TRUE(keepBookmarks(path_, changes));
  load();
  const std::string written = bytes_;
  for (std::size_t number = 1; number <= pages(); ++number) putPlainChecksum(number);
  EXPECT_TRUE(bytes_ == written);
  EXPECT_EQ(countOf("sealed"), 1);
}

TEST_F(PageChecksums, AreOfTheNewRuleInACopyOfAnOlderRecording) {
  makeOlder();
  ASSERT_TRUE(copyRecording(path_, folder_ / "copy.shardlens"));
  std::filesystem::rename(folder_ / "copy.shardlens", path_);
  EXPECT_EQ(countOf("sealed"), 0);
  EXPECT_EQ(countOf("sealed_pages"), 1);
  load();
  EXPECT_THAT(refusedNow(), IsEmpty());
  std::swap_ranges(page(3), page(3) + kPage, page(6));
  EXPECT_THAT(refusedNow(), ElementsAre(3, 6));
}

// The versions that would report its pages as damaged verify recordings with the row `sealed`.
TEST_F(PageChecksums, OfARecordingAreNotVerifiedByOlderVersions) {
  EXPECT_EQ(countOf("sealed"), 0);
  EXPECT_EQ(countOf("sealed_pages"), 1);
}

}  // namespace
}  // namespace shardlens
