#include "core/trace/merge/run_summary.h"

#include "app/bench/run_case.h"
#include "core/trace/file/database.h"
#include "core/trace/file/trace_writer.h"
#include "core/trace/merge/run_manifest.h"
#include "core/trace/recorder/recorder.h"
#include "core/trace/records/clock_record.h"
#include "tests/support/scratch_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace shardlens {
namespace {

namespace fs = std::filesystem;

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;

constexpr RunCase kStages{.ranks = 16, .steps = 2, .stages = 2, .experts = 2, .tensorParallel = 2};

std::string contentsOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void expectEqual(const RunSummary& a, const RunSummary& b) {
  ASSERT_EQ(a.files.size(), b.files.size());
  for (std::size_t i = 0; i < a.files.size(); ++i) {
    EXPECT_EQ(a.files[i].path, b.files[i].path);
    EXPECT_EQ(a.files[i].hosted, b.files[i].hosted);
    EXPECT_EQ(a.files[i].summary, b.files[i].summary) << a.files[i].path;
  }
}

// Replaces the content of a file by zeros without changing its size and time.
void blank(const fs::path& path) {
  const auto changed = fs::last_write_time(path);
  const auto size = fs::file_size(path);
  std::ofstream(path, std::ios::binary) << std::string(size, '\0');
  fs::last_write_time(path, changed);
}

TEST(RunSummary, AddsUpTheRecordings) {
  const ScratchFolder folder;
  const auto events = recordRun(kStages, folder.path()).value();
  const auto run = summarizeRun({folder.path()}).value();
  EXPECT_EQ(run.events(), events);
  EXPECT_EQ(run.count(EventKind::Step), 16 * 2);
  EXPECT_THAT(run.leftOut, IsEmpty());
  ASSERT_EQ(run.files.size(), 16U);
  for (const auto& file : run.files) EXPECT_TRUE(file.summary.isClosed) << file.path;
  EXPECT_THAT(run.files[10].hosted, ElementsAre(RankRange{10, 10}));
  Totals layers;
  for (const auto& group : run.files[0].summary.totals) {
    if (group.ranks == "0,1") layers.add(group.totals);
  }
  EXPECT_EQ(layers.count, 8);
  EXPECT_EQ(layers.bytes, 8 * 4096);
}

// Rank 1 begins 1000 ns after rank 0.
TEST(RunSummary, EndsWithTheLastRank) {
  RunSummary run;
  for (const std::int64_t start : {0, 1000}) {
    SummarizedFile& file = run.files.emplace_back();
    file.summary.meta.emplace(kClockKey, clockText({"boot", {ClockAnchor{0, start, 0, {}}}}));
    file.summary.end = 500 - start / 10;
  }
  EXPECT_EQ(run.end(), 1400);
}

TEST(RunSummary, RanksOfOneStageAndExpertHaveOneProgram) {
  const ScratchFolder folder;
  ASSERT_TRUE(recordRun(kStages, folder.path()));
  using Ranks = std::vector<RankRange>;
  EXPECT_THAT(summarizeRun({folder.path()})->programs(),
              ElementsAre(Ranks{{0, 1}, {4, 5}}, Ranks{{2, 3}, {6, 7}}, Ranks{{8, 9}, {12, 13}},
                          Ranks{{10, 11}, {14, 15}}));
}

TEST(RunSummary, ARankThatDivergesHasItsOwnProgram) {
  const ScratchFolder folder;
  ASSERT_TRUE(recordRun({.ranks = 4, .steps = 2, .fault = RunCase::Fault::Divergence, .faulty = 2},
                        folder.path()));
  using Ranks = std::vector<RankRange>;
  EXPECT_THAT(summarizeRun({folder.path()})->programs(),
              ElementsAre(Ranks{{0, 1}, {3, 3}}, Ranks{{2, 2}}));
}

TEST(RunSummary, APreviewIsTheSameAndWritesNothing) {
  const ScratchFolder folder;
  ASSERT_TRUE(recordRun(kStages, folder.path()));
  const auto preview = previewRun({folder.path()}).value();
  EXPECT_FALSE(fs::exists(folder / kManifestName));
  expectEqual(summarizeRun({folder.path()}).value(), preview);
  EXPECT_EQ(preview.steps(), 2);
  EXPECT_EQ(preview.lastStep(), 2);
  EXPECT_THAT(preview.hosted(), ElementsAre(RankRange{0, 15}));
}

TEST(RunSummary, APreviewLeavesOutEventsThatAreNotSealed) {
  const ScratchFolder folder;
  const auto writer = TraceWriter::create(folder / "live.shardlens").value();
  Recorder recorder;
  recorder.addSink(*writer);
  recorder.note(Event{});
  ASSERT_TRUE(writer->flush());
  const auto preview = previewRun({folder.path()}).value();
  EXPECT_EQ(preview.events(), 0);
  EXPECT_FALSE(preview.files.front().summary.isClosed);
  EXPECT_EQ(preview.lastStep(), 0);
  EXPECT_EQ(summarizeRun({folder.path()})->events(), 1);
  recorder.removeSinks();
}

TEST(RunManifest, ReplacesReadingTheRecordings) {
  const ScratchFolder folder;
  ASSERT_TRUE(recordRun(kStages, folder.path()));
  const auto run = summarizeRun({folder.path()}).value();
  for (const auto& file : run.files) blank(file.path);
  expectEqual(summarizeRun({folder.path()}).value(), run);
  // Without the manifest, each file is named.
  fs::remove(folder / kManifestName);
  EXPECT_FALSE(summarizeRun({folder.path()}));
}

TEST(RunManifest, ADamagedOneIsReplaced) {
  const ScratchFolder folder;
  ASSERT_TRUE(recordRun(kStages, folder.path()));
  const auto run = summarizeRun({folder.path()}).value();
  const std::string whole = contentsOf(folder / kManifestName);
  for (const std::size_t size : {std::size_t{0}, whole.size() / 3, whole.size() - 3}) {
    fs::resize_file(folder / kManifestName, size);
    expectEqual(summarizeRun({folder.path()}).value(), run);
    EXPECT_EQ(contentsOf(folder / kManifestName), whole);
  }
}

TEST(RunManifest, WithAFlippedBitIsIgnoredOrTheSame) {
  const ScratchFolder folder;
  ASSERT_TRUE(recordRun({.ranks = 2, .steps = 1}, folder.path()));
  const auto run = summarizeRun({folder.path()}).value();
  const std::string whole = contentsOf(folder / kManifestName);
  for (std::size_t bit = 0; bit < 8 * whole.size(); bit += 37) {
    std::string text = whole;
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << bit % 8));
    std::ofstream(folder / kManifestName, std::ios::binary) << text;
    const Manifest manifest = Manifest::read(folder.path());
    for (const auto& file : run.files) {
      const SummarizedFile* known = manifest.of(file.path);
      EXPECT_TRUE(known == nullptr || known->summary == file.summary) << "bit " << bit;
    }
  }
}

TEST(RunManifest, OfANewerFormatIsLeftAsItIs) {
  const ScratchFolder folder;
  ASSERT_TRUE(recordRun({.ranks = 2, .steps = 1}, folder.path()));
  const std::string newer =
      R"({"shardlens_manifest":3,"recordings":[{"file":"rank-0.shardlens"}]})";
  std::ofstream(folder / kManifestName) << newer;
  EXPECT_EQ(summarizeRun({folder.path()})->files.size(), 2U);
  EXPECT_EQ(contentsOf(folder / kManifestName), newer);
}

TEST(RunManifest, ThatIsNoRegularFileIsIgnored) {
  const ScratchFolder folder;
  ASSERT_TRUE(recordRun(kStages, folder.path()));
  const fs::path manifest = folder / kManifestName;
  const auto expectRead = [&](const char* what) {
    const auto run = summarizeRun({folder.path()});
    ASSERT_TRUE(run) << what << ": " << run.error().message;
    EXPECT_EQ(run->files.size(), 16U) << what;
    EXPECT_THAT(run->leftOut, IsEmpty()) << what;
  };
  fs::create_directory(manifest);
  expectRead("a folder");
  fs::remove(manifest);
  fs::create_symlink(manifest.filename(), manifest);
  expectRead("a link to itself");
  fs::remove(manifest);
  ASSERT_EQ(::mkfifo(manifest.c_str(), 0600), 0);
  expectRead("a FIFO");
}

TEST(RunManifest, NamesMissingDamagedAndNewerRecordings) {
  const ScratchFolder folder;
  ASSERT_TRUE(recordRun({.ranks = 5, .steps = 1}, folder.path()));
  ASSERT_TRUE(summarizeRun({folder.path()}));
  fs::remove(folder / "rank-1.shardlens");
  fs::resize_file(folder / "rank-2.shardlens", 1000);
  Database(folder / "rank-3.shardlens", Database::Access::ReadWrite)
      .execute("PRAGMA user_version=6");
  for (int twice = 0; twice < 2; ++twice) {
    const auto run = summarizeRun({folder.path()}).value();
    ASSERT_EQ(run.files.size(), 2U);
    EXPECT_EQ(run.files[1].path, folder / "rank-4.shardlens");
    EXPECT_THAT(
        run.leftOut,
        ElementsAre(::testing::HasSubstr("rank-2.shardlens is damaged"),
                    EndsWith("rank-3.shardlens is of format 6, this Shardlens reads 4 to 5"),
                    EndsWith("rank-1.shardlens is missing: shardlens-manifest.json lists"
                             " it, with ranks 1")));
  }
}

TEST(RunSummary, NamesRecordingsOfAnotherRun) {
  const ScratchFolder folder, other;
  ASSERT_TRUE(recordRun({.ranks = 2, .steps = 1}, folder.path()));
  ASSERT_TRUE(recordRun({.ranks = 4, .steps = 1}, other.path()));
  fs::copy(other / "rank-3.shardlens", folder / "rank-3.shardlens");
  fs::copy(folder / "rank-1.shardlens", folder / "same.shardlens");
  const auto run = summarizeRun({folder.path()}).value();
  EXPECT_EQ(run.files.size(), 2U);
  EXPECT_THAT(run.leftOut,
              ElementsAre(EndsWith("same.shardlens is of another run: got ranks 1, expected ranks "
                                   "beside the 1 of " +
                                   (folder / "rank-1.shardlens").string()),
                          EndsWith("rank-3.shardlens is of another run: got mesh 1x4x1:pp,dp,tp, "
                                   "expected 1x2x1:pp,dp,tp as in " +
                                   (folder / "rank-0.shardlens").string())));
}

// The second answer is from the manifest.
TEST(RunSummary, NamesRecordingsOfAnotherScenario) {
  const ScratchFolder folder;
  ASSERT_TRUE(recordRun({.ranks = 3, .steps = 1}, folder.path()));
  Database(folder / "rank-2.shardlens", Database::Access::ReadWrite)
      .execute("UPDATE meta SET value='{\"other\":1}' WHERE key='scenario'");
  for (int twice = 0; twice < 2; ++twice) {
    const auto run = summarizeRun({folder.path()}).value();
    EXPECT_EQ(run.files.size(), 2U);
    EXPECT_THAT(run.leftOut, ElementsAre((folder / "rank-2.shardlens").string() +
                                         " is of another run: got another scenario, expected that "
                                         "of " +
                                         (folder / "rank-0.shardlens").string()));
  }
}

TEST(RunSummary, IsCancelledByItsProgress) {
  const ScratchFolder folder;
  ASSERT_TRUE(recordRun(kStages, folder.path()));
  const auto cancel = [](double /*done*/) { throw std::runtime_error("cancelled"); };
  EXPECT_THROW(std::ignore = summarizeRun({folder.path()}, cancel), std::runtime_error);
  EXPECT_FALSE(fs::exists(folder / kManifestName));
}

// Writes the manifest again and again, until a timer ends the process as kill -9 would.
void rewriteUntilKilled(const fs::path& folder, suseconds_t microseconds) {
  const pid_t child = ::fork();
  if (child == 0) {
    const itimerval once{{0, 0}, {0, microseconds}};
    ::setitimer(ITIMER_REAL, &once, nullptr);
    const fs::path changing = folder / "rank-0.shardlens";
    for (;;) {
      fs::last_write_time(changing, fs::last_write_time(changing) + std::chrono::seconds(1));
      std::ignore = summarizeRun({folder});
    }
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM);
}

TEST(RunManifest, IsWholeWhenItsWriterIsKilled) {
  const ScratchFolder folder;
  ASSERT_TRUE(recordRun({.ranks = 6, .steps = 1}, folder.path()));
  const auto run = summarizeRun({folder.path()}).value();
  for (int kill = 0; kill < 50; ++kill) {
    rewriteUntilKilled(folder.path(), 1000 + 613 * kill);
    const Manifest manifest = Manifest::read(folder.path());
    for (const auto& file : run.files) EXPECT_NE(manifest.of(file.path), nullptr) << kill;
  }
  expectEqual(summarizeRun({folder.path()}).value(), run);
}

}  // namespace
}  // namespace shardlens
