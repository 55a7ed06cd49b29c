#include "core/trace/file/bookmark_file.h"
#include "core/trace/file/trace_writer.h"
#include "core/trace/merge/file_limit.h"
#include "core/trace/merge/recording.h"
#include "core/trace/merge/trace_reader.h"
#include "core/trace/records/trace_rows.h"
#include "core/trace/snapshot/snapshot.h"
#include "tests/trace/named_event.h"
#include "tests/trace/sample_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <sys/resource.h>

namespace shardlens {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A process of a run on four ranks. It records the rank that it hosts.
class Process {
 public:
  Process(const ScratchFolder& folder, int rank, std::string_view mesh = "4:tp",
          std::string_view scenario = "{}")
      : rank_(rank),
        writer_(
            TraceWriter::create(folder / ("rank-" + std::to_string(rank) + ".shardlens")).value()) {
    recorder.addSink(*writer_);
    recorder.setCapture(CaptureLevel::All);
    recorder.meta("scenario", scenario);
    recorder.meta("mesh", mesh);
    recorder.meta("hosted", std::to_string(rank));
    recorder.setRanks(std::to_string(rank));
  }

  EventId note(EventKind kind, const char* name, std::int64_t bytes = 0) {
    Event event = namedEvent(recorder, kind, name);
    event.bytes = bytes;
    if (kind == EventKind::Collective) event.ranks = recorder.intern("0-3");
    return recorder.note(event);
  }

  // Records a collective with a sequence number of its process group.
  EventId call(const char* name, const char* group, std::uint32_t sequence, const char* ranks) {
    Event event = namedEvent(recorder, EventKind::Collective, name);
    event.group = recorder.intern(group);
    event.sequence = sequence;
    event.ranks = recorder.intern(ranks);
    return recorder.note(event);
  }

  TensorId result(const char* name, float value, TensorId mask = 0) {
    Event event;
    event.kind = EventKind::Result;
    event.name = recorder.intern(name);
    event.related = mask;
    event.subject = recorder.addTensor(name, {DType::Float32, {4}, {Shard{0}}});
    event.bytes = 4;
    recorder.note(event);
    recordValue(recorder, valueOf<float>(event.subject, rank_, {1}, {value}));
    return event.subject;
  }

  // Records a result on a separate mesh.
  void on(DeviceMesh mesh, const char* name, float value) {
    Event event;
    event.kind = EventKind::Result;
    event.name = recorder.intern(name);
    event.subject =
        recorder.addTensor(name, {DType::Float32, {4}, {Shard{0}}, shared(std::move(mesh))});
    recorder.note(event);
    recordValue(recorder, valueOf<float>(event.subject, rank_, {1}, {value}));
  }

  void flush() { ASSERT_TRUE(writer_->flush()); }
  void close() { ASSERT_TRUE(writer_->close()); }

  Recorder recorder;

 private:
  int rank_;
  std::unique_ptr<TraceWriter> writer_;
};

float valueOn(const Journal& journal, TensorId tensor, int rank) {
  const auto value = journal.value(tensor, rank, journal.size());
  if (!value) return -1;
  return static_cast<float>(elementAt(DType::Float32, journal.elements(*value)->data(), 0));
}

std::string line(const Journal& journal, EventId id) {
  const Event& event = journal.at(id);
  return std::string(journal.name(event)) + " " + std::string(journal.text(event.ranks));
}

std::vector<std::string> lines(const Journal& journal) {
  std::vector<std::string> all;
  for (EventId id = 1; id <= journal.size(); ++id) all.push_back(line(journal, id));
  return all;
}

std::string refusal(const ScratchFolder& folder) {
  const auto reader = TraceReader::open(folder.path());
  return reader ? "opened" : reader.error().message;
}

class TraceRunTest : public ::testing::Test {
 protected:
  // The files of the first processes.
  std::vector<std::filesystem::path> paths(int ranks) const {
    std::vector<std::filesystem::path> all;
    for (int rank = 0; rank < ranks; ++rank) {
      all.push_back(folder_ / ("rank-" + std::to_string(rank) + ".shardlens"));
    }
    return all;
  }

  const ScratchFolder folder_;
};

// UndefinedBehaviorSanitizer reports a sum that overflows.
TEST_F(TraceRunTest, BytesOfDamagedRecordingsAreAddedModulo2To64) {
  for (const int rank : {0, 1}) {
    Process(folder_, rank)
        .note(EventKind::Collective, "all_reduce", std::numeric_limits<std::int64_t>::max());
  }
  const auto reader = TraceReader::open(folder_.path()).value();
  EXPECT_EQ(reader->journal().at(1).bytes, -2);
}

TEST_F(TraceRunTest, AnEventOfAllProcessesIsMerged) {
  for (const int rank : {2, 0, 1, 3}) {
    Process process(folder_, rank);
    process.result("x", static_cast<float>(10 + rank));
    process.note(EventKind::Collective, "all_reduce", 1 << rank);
  }
  const auto reader = TraceReader::open(folder_.path()).value();
  const Journal& journal = reader->journal();
  EXPECT_THAT(lines(journal), ElementsAre("x 0-3", "all_reduce 0-3"));
  EXPECT_EQ(journal.meta("hosted"), "0-3");
  EXPECT_EQ(journal.at(1).bytes, 16);
  EXPECT_EQ(journal.at(2).bytes, 15);
  ASSERT_EQ(journal.tensors(), 1U);
  EXPECT_THAT(journal.ranksOf(1), ElementsAre(0, 1, 2, 3));
  for (int rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(valueOn(journal, 1, rank), 10.0F + static_cast<float>(rank));
  }
  EXPECT_FALSE(reader->mayGrow());
}

// Each process numbers routes in the order in which it meets them.
TEST_F(TraceRunTest, EventsWithOneRouteAreOneEvent) {
  for (const int rank : {0, 1}) {
    Process process(folder_, rank);
    if (rank == 1) routeIn(process.recorder, "R -> S(1)");
    process.note(EventKind::Redistribute, "S(0) -> R");
    process.note(EventKind::Redistribute, rank == 0 ? "R -> S(0)" : "R -> S(1)");
  }
  const auto reader = TraceReader::open(folder_.path()).value();
  const Journal& journal = reader->journal();
  EXPECT_THAT(lines(journal), ElementsAre("S(0) -> R 0,1", "R -> S(0) 0", "R -> S(1) 1"));
  EXPECT_EQ(journal.routes(), 3U);
}

TEST_F(TraceRunTest, MissingProcessesAreRanksWithoutValues) {
  Process(folder_, 1).result("x", 1);
  Process(folder_, 3).result("x", 3);
  const auto reader = TraceReader::open(folder_.path()).value();
  EXPECT_EQ(reader->journal().meta("hosted"), "1,3");
  EXPECT_THAT(reader->journal().ranksOf(1), ElementsAre(1, 3));
}

// A merged event begins when the first process begins it, and lasts as long as in the slowest one.
// Each process also keeps its own time.
TEST_F(TraceRunTest, TimesAreOfAllAndOfEach) {
  Process zero(folder_, 0), one(folder_, 1);
  Event event;
  event.duration = 0;
  const EventId first = zero.recorder.begin(event);
  const EventId second = one.recorder.begin(event);
  zero.recorder.end(first);
  zero.flush();
  one.flush();
  const auto reader = TraceReader::open(folder_.path()).value();
  const Journal& journal = reader->journal();
  EXPECT_EQ(journal.at(1).duration, Event::kRunning);
  EXPECT_GE(journal.part(1, 0)->duration, 0);
  EXPECT_EQ(journal.part(1, 1)->duration, Event::kRunning);
  EXPECT_FALSE(journal.part(1, 2));
  one.recorder.end(second);
  one.flush();
  EXPECT_TRUE(reader->refresh().value());
  const auto a = journal.part(1, 0).value(), b = journal.part(1, 1).value();
  EXPECT_EQ(journal.at(1).time, std::min(a.time, b.time));
  EXPECT_EQ(journal.at(1).duration, std::max(a.duration, b.duration));
}

TEST_F(TraceRunTest, EventsOfSomeRanksNameTheirRanks) {
  for (const int rank : {0, 1, 2}) {
    Process process(folder_, rank);
    process.recorder.setStep(0, 1);
    process.note(EventKind::Step, "first");
    if (rank != 0) process.note(EventKind::Compute, "more");
    if (rank != 0) process.note(EventKind::Collective, "all_gather");
    process.note(EventKind::Error, "refused");
    process.recorder.setStep(1, 2);
    process.note(EventKind::Step, "second");
    if (rank == 0) process.note(EventKind::Compute, "alone");
  }
  const auto reader = TraceReader::open(folder_.path()).value();
  const Journal& journal = reader->journal();
  EXPECT_THAT(lines(journal), ElementsAre("first 0-2", "more 1,2", "all_gather 0-3", "refused 0-2",
                                          "second 0-2", "alone 0"));
  EXPECT_EQ(journal.detail(journal.at(3)), R"({"only":"1,2"})");
  EXPECT_FALSE(journal.part(3, 0));
}

TEST_F(TraceRunTest, NumberedCollectivesAreOneByGroupAndNumber) {
  for (const int rank : {0, 1, 2, 3}) {
    Process process(folder_, rank);
    const bool isFirst = rank < 2;
    process.call("all_reduce", isFirst ? "a" : "b", 1, isFirst ? "0,1" : "2,3");
    if (rank == 3) process.call("all_gather", "world", 4, "0-3");
    process.call("all_reduce", "world", rank == 3 ? 5 : 4, "0-3");
  }
  const auto reader = TraceReader::open(folder_.path()).value();
  const Journal& journal = reader->journal();
  EXPECT_THAT(lines(journal), ElementsAre("all_reduce 0,1", "all_reduce 2,3", "all_reduce 0-3",
                                          "all_gather 0-3", "all_reduce 0-3"));
  EXPECT_FALSE(journal.part(1, 2));
  EXPECT_FALSE(journal.part(3, 3));
  EXPECT_FALSE(journal.part(4, 0));
  EXPECT_EQ(journal.at(5).sequence, 5U);
}

TEST_F(TraceRunTest, GroupsOfOneNameAreOneByTheirRanks) {
  for (const int rank : {0, 1, 2, 3}) {
    Process process(folder_, rank);
    process.call("all_reduce", "tp", 1, rank < 2 ? "0,1" : "2,3");
    process.call("all_gather", rank % 2 == 0 ? "0,2" : "1,3", rank % 2 == 0 ? 5 : 9, "0,2|1,3");
  }
  const auto reader = TraceReader::open(folder_.path()).value();
  EXPECT_THAT(lines(reader->journal()),
              ElementsAre("all_reduce 0,1", "all_reduce 2,3", "all_gather 0,2|1,3"));
}

TEST_F(TraceRunTest, TensorsOnSubmeshesAreReplicas) {
  for (const int rank : {0, 1, 2, 3}) {
    Process process(folder_, rank);
    const int first = rank / 2 * 2;
    process.on(DeviceMesh::make({2}, {"tp"}, {first, first + 1}).value(), "x", 10.0F + rank);
    process.on(DeviceMesh::make({2}, {"tp"}, {0, rank + 1}).value(), "y", 0);  // they share rank 0
  }
  const auto reader = TraceReader::open(folder_.path()).value();
  const Journal& journal = reader->journal();
  EXPECT_THAT(lines(journal), ElementsAre("x 0-3", "y 0-3"));
  EXPECT_EQ(journal.tensor(1).mesh->replicas(), (std::vector<std::vector<int>>{{0, 1}, {2, 3}}));
  EXPECT_EQ(journal.tensor(2).mesh->ranks(), (std::vector{0, 1}));
  EXPECT_EQ(valueOn(journal, 1, 3), 13.0F);
  EXPECT_EQ(parseMeshJson(meshJson(*journal.tensor(1).mesh)), *journal.tensor(1).mesh);
}

TEST_F(TraceRunTest, WhereOrdersCrossCollectivesStayTogether) {
  for (const int rank : {0, 1, 2, 3}) {
    Process process(folder_, rank);
    if (rank != 0) process.note(EventKind::Compute, "copy");
    process.call("all_reduce", "world", 1, "0-3");
    if (rank == 0) process.note(EventKind::Compute, "copy");
    process.note(EventKind::Operator, "end");
  }
  const auto reader = TraceReader::open(folder_.path()).value();
  EXPECT_THAT(lines(reader->journal()),
              ElementsAre("copy 1-3", "all_reduce 0-3", "copy 0", "end 0-3"));
}

TEST_F(TraceRunTest, CollectivesMeetHoweverMuchARankDoesBetweenThem) {
  for (const int rank : {0, 1}) {
    Process process(folder_, rank);
    process.call("all_reduce", "world", 1, "0,1");
    if (rank == 1) {
      for (int i = 0; i < 20'000; ++i) process.note(EventKind::Compute, "evaluate");
    }
    process.call("all_reduce", "world", 2, "0,1");
  }
  const auto reader = TraceReader::open(folder_.path()).value();
  const Journal& journal = reader->journal();
  ASSERT_EQ(journal.size(), 20'002U);
  EXPECT_TRUE(journal.part(20'002, 0));
  EXPECT_TRUE(journal.part(20'002, 1));
}

TEST_F(TraceRunTest, GrowsAsFarAsAllOfItsProcesses) {
  Process zero(folder_, 0), one(folder_, 1);
  zero.note(EventKind::Step, "a");
  zero.flush();
  one.flush();
  const auto reader = TraceReader::open(folder_.path()).value();
  EXPECT_EQ(reader->journal().size(), 0U);
  EXPECT_TRUE(reader->mayGrow());
  one.note(EventKind::Step, "a");
  one.flush();
  EXPECT_TRUE(reader->refresh().value());
  EXPECT_FALSE(reader->refresh().value());
  EXPECT_THAT(lines(reader->journal()), ElementsAre("a 0,1"));

  zero.note(EventKind::Step, "b");
  zero.flush();
  EXPECT_FALSE(reader->refresh().value());
  EXPECT_TRUE(reader->settle());
  EXPECT_FALSE(reader->settle());
  EXPECT_THAT(lines(reader->journal()), ElementsAre("a 0,1", "b 0"));
  EXPECT_FALSE(reader->isOutdated());
  one.note(EventKind::Step, "b");
  one.close();
  EXPECT_FALSE(reader->refresh().value());
  EXPECT_TRUE(reader->isOutdated());
  EXPECT_THAT(lines(reader->journal()), ElementsAre("a 0,1", "b 0"));
  const auto reopened = TraceReader::open(folder_.path()).value();
  EXPECT_THAT(lines(reopened->journal()), ElementsAre("a 0,1", "b 0,1"));

  zero.note(EventKind::Step, "c");
  zero.close();
  EXPECT_TRUE(reopened->refresh().value());
  EXPECT_THAT(lines(reopened->journal()), ElementsAre("a 0,1", "b 0,1", "c 0"));
  EXPECT_FALSE(reopened->mayGrow());
  EXPECT_FALSE(reopened->isOutdated());
}

// A refresh loads a limited number of files, so that it does not block a window for long.
TEST_F(TraceRunTest, LoadsAFewFilesAtATime) {
  std::vector<std::unique_ptr<Process>> processes;
  for (int rank = 0; rank < 20; ++rank) {
    processes.push_back(std::make_unique<Process>(folder_, rank, "20:tp"));
    processes.back()->note(EventKind::Step, "a");
    processes.back()->flush();
  }
  const auto reader = TraceReader::open(folder_.path()).value();
  EXPECT_THAT(lines(reader->journal()), ElementsAre("a 0-19"));
  EXPECT_FALSE(reader->isLoading());
  for (const auto& process : processes) {
    process->note(EventKind::Step, "b");
    process->flush();
  }
  for (int files = 8; files < 20; files += 8) {
    EXPECT_TRUE(reader->refresh().value());
    EXPECT_TRUE(reader->isLoading());
    EXPECT_EQ(reader->journal().size(), 1U);
  }
  EXPECT_TRUE(reader->refresh().value());
  EXPECT_FALSE(reader->isLoading());
  EXPECT_THAT(lines(reader->journal()), ElementsAre("a 0-19", "b 0-19"));
  EXPECT_FALSE(reader->refresh().value());
  EXPECT_FALSE(reader->isLoading());
}

// Events are not lost that a process records after its file was loaded, and before those of others.
TEST_F(TraceRunTest, LoadsWhatIsRecordedBetweenTwoLoads) {
  std::vector<std::unique_ptr<Process>> processes;
  for (int rank = 0; rank < 20; ++rank) {
    processes.push_back(std::make_unique<Process>(folder_, rank, "20:tp"));
    processes.back()->flush();
  }
  const auto reader = TraceReader::open(folder_.path()).value();
  for (const char* name : {"a", "b"}) {
    for (const auto& process : processes) {
      process->note(EventKind::Step, name);
      process->flush();
    }
    EXPECT_TRUE(reader->refresh().value());
  }
  EXPECT_TRUE(reader->isLoading());
  for (const auto& process : processes) process->close();
  while (reader->refresh().value()) continue;
  EXPECT_THAT(lines(reader->journal()), ElementsAre("a 0-19", "b 0-19"));
  EXPECT_FALSE(reader->mayGrow());
}

TEST_F(TraceRunTest, AProcessMayJoinLate) {
  Process zero(folder_, 0);
  zero.result("x", 1);
  zero.flush();
  const auto reader = TraceReader::open(folder_.path()).value();
  EXPECT_THAT(lines(reader->journal()), ElementsAre("x 0"));
  Process three(folder_, 3);
  three.result("x", 4);
  three.flush();
  EXPECT_FALSE(reader->refresh().value());
  EXPECT_TRUE(reader->isOutdated());
  EXPECT_THAT(lines(reader->journal()), ElementsAre("x 0"));
  const auto reopened = TraceReader::open(folder_.path()).value();
  EXPECT_FALSE(reopened->isOutdated());
  EXPECT_THAT(lines(reopened->journal()), ElementsAre("x 0,3"));
  EXPECT_EQ(valueOn(reopened->journal(), 1, 3), 4.0F);
}

TEST_F(TraceRunTest, SeveralFilesAreOneRunToo) {
  for (const int rank : {0, 1, 2}) Process(folder_, rank).note(EventKind::Step, "a");
  const auto reader =
      TraceReader::open({folder_ / "rank-2.shardlens", folder_ / "rank-0.shardlens"}).value();
  EXPECT_THAT(lines(reader->journal()), ElementsAre("a 0,2"));
}

TEST_F(TraceRunTest, MetadataThatOneProcessEmitsLaterAppliesToAll) {
  Process first(folder_, 0, "");
  Process second(folder_, 1);
  for (auto* process : {&first, &second}) {
    process->note(EventKind::Step, "a");
    process->flush();
  }
  const auto reader = TraceReader::open(folder_.path()).value();
  EXPECT_EQ(reader->journal().meta("mesh"), "4:tp");
  second.recorder.meta("source:/job/net.py", "import torch\n");
  for (auto* process : {&first, &second}) {
    process->note(EventKind::Step, "b");
    process->flush();
  }
  while (reader->refresh().value()) {
  }
  EXPECT_THAT(lines(reader->journal()), ElementsAre("a 0,1", "b 0,1"));
  EXPECT_EQ(reader->journal().meta("source:/job/net.py"), "import torch\n");
  EXPECT_EQ(reader->journal().meta("hosted"), "0,1");
}

TEST_F(TraceRunTest, RefusesProcessesOfAnotherRun) {
  Process(folder_, 0).note(EventKind::Step, "a");
  const std::string first = (folder_ / "rank-0.shardlens").string();
  const std::string other = (folder_ / "rank-1.shardlens").string();
  Process(folder_, 1, "2x2:dp,tp").note(EventKind::Step, "a");
  EXPECT_EQ(refusal(folder_),
            other + " is of another run: got mesh 2x2:dp,tp, expected 4:tp as in " + first);
  Process(folder_, 1, "4:tp", "{\"other\"}").note(EventKind::Step, "a");
  EXPECT_EQ(refusal(folder_),
            other + " is of another run: got another scenario, expected that of " + first);
  Process(folder_, 1, std::string(5000000, 'm')).note(EventKind::Step, "a");
  EXPECT_EQ(refusal(folder_), other + " is of another run: got mesh " + std::string(75, 'm') +
                                  "..., expected 4:tp as in " + first);
  std::filesystem::copy_file(first, other, std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(refusal(folder_),
            other + " is of another run: got ranks 0, expected ranks beside the 0 of " + first);
}

TEST_F(TraceRunTest, NamesTheFilesThatHostTheSameRanks) {
  const auto host = [&](int process, std::string_view ranks) {
    Process one(folder_, process, "32:tp");
    one.recorder.meta("hosted", ranks);
    one.note(EventKind::Step, "a");
  };
  host(0, "0-7,20");
  host(1, "8-19,21-30");
  host(2, "31");
  EXPECT_EQ(refusal(folder_), "opened");
  host(2, "19,31");
  EXPECT_EQ(refusal(folder_),
            (folder_ / "rank-2.shardlens").string() +
                " is of another run: got ranks 19,31, expected ranks beside the 8-19,21-30 of " +
                (folder_ / "rank-1.shardlens").string());
}

TEST_F(TraceRunTest, ADamagedFileThatWasDeletedIsForgotten) {
  for (const int rank : {0, 1}) Process(folder_, rank).note(EventKind::Step, "a");
  const auto damaged = folder_ / "rank-1.shardlens";
  std::filesystem::resize_file(damaged, std::filesystem::file_size(damaged) - 1);
  const auto reader = TraceReader::open(folder_.path()).value();
  ASSERT_EQ(reader->leftOut().size(), 1U);
  std::filesystem::remove(damaged);
  ASSERT_TRUE(reader->refresh());
  EXPECT_THAT(reader->leftOut(), ElementsAre());
}

TEST_F(TraceRunTest, OneDamagedFileOfAFolderDoesNotKeepTheOthersShut) {
  for (const int rank : {0, 1, 2}) Process(folder_, rank).note(EventKind::Step, "a");
  const auto damaged = folder_ / "rank-1.shardlens";
  const auto size = std::filesystem::file_size(damaged);
  const auto whole = folder_ / "whole";
  std::filesystem::copy_file(damaged, whole);
  std::filesystem::resize_file(damaged, size - 1);
  const auto reader = TraceReader::open(folder_.path()).value();
  EXPECT_THAT(lines(reader->journal()), ElementsAre("a 0,2"));
  EXPECT_THAT(reader->leftOut(), ElementsAre(damaged.string() + " is damaged: it is truncated"));
  // A file that is given by name must open.
  const auto named = TraceReader::open({folder_ / "rank-0.shardlens", damaged});
  ASSERT_FALSE(named);
  EXPECT_EQ(named.error().message, damaged.string() + " is damaged: it is truncated");

  std::filesystem::copy_file(whole, damaged, std::filesystem::copy_options::overwrite_existing);
  EXPECT_FALSE(reader->refresh().value());
  EXPECT_TRUE(reader->isOutdated());
  EXPECT_THAT(reader->leftOut(), ElementsAre());
  EXPECT_THAT(lines(TraceReader::open(folder_.path()).value()->journal()), ElementsAre("a 0-2"));
}

TEST_F(TraceRunTest, OpensTheOtherFilesBesideADanglingLink) {
  for (const int rank : {0, 1}) Process(folder_, rank).note(EventKind::Step, "a");
  const auto loop = folder_ / "rank-2.shardlens";
  std::filesystem::create_symlink(loop, loop);
  const auto reader = TraceReader::open(folder_.path()).value();
  EXPECT_THAT(lines(reader->journal()), ElementsAre("a 0,1"));
  EXPECT_THAT(reader->leftOut(), ElementsAre(loop.string() + " cannot be read: Too many levels of"
                                                             " symbolic links"));
}

TEST_F(TraceRunTest, RefusesAFolderOfDamagedFiles) {
  for (const int rank : {0, 1}) {
    Process(folder_, rank).note(EventKind::Step, "a");
    std::filesystem::resize_file(folder_ / ("rank-" + std::to_string(rank) + ".shardlens"), 100);
  }
  EXPECT_THAT(refusal(folder_),
              ::testing::StartsWith((folder_ / "rank-0.shardlens").string() + " is damaged: "));
}

// Lowers the limit of open files of this process, as long as this object lives.
class FileLimit {
 public:
  explicit FileLimit(rlim_t most) {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit limit{most, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  ~FileLimit() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

std::size_t openFiles() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

TEST_F(TraceRunTest, ClosesTheFilesOfManyRanksAndReadsThemAgain) {
  constexpr int kRanks = 60;
  for (int rank = 0; rank < kRanks; ++rank) Process(folder_, rank).result("x", 10.0F + rank);
  // As if the limit could not be raised, the 60 files would need 180.
  const std::size_t before = openFiles();
  const FileLimit limit(static_cast<rlim_t>(before) + 48);
  ASSERT_LT(mostOpenRecordings(), 30U);
  auto recordings = openRecordings(paths(kRanks), std::make_shared<ReopenedFiles>(), {});
  EXPECT_EQ(openFiles(), before);
  for (int rank = 0; rank < kRanks; ++rank) {
    const auto& recording = recordings[static_cast<std::size_t>(rank)];
    ASSERT_TRUE(recording) << recording.error().message;
    EXPECT_FALSE((*recording)->mayGrow());
    EXPECT_EQ(valueOn((*recording)->journal(), 1, rank), 10.0F + static_cast<float>(rank));
    EXPECT_TRUE((*recording)->leftOut().empty());
  }
  EXPECT_LE(openFiles(), before + ClosedValues::kMostReopened);
}

TEST_F(TraceRunTest, BookmarksOfAClosedFileAreReadAgain) {
  Process(folder_, 0).note(EventKind::Step, "a");
  const auto path = folder_ / "rank-0.shardlens";
  const auto recording = Recording::open(path).value();
  recording->closeFile(std::make_shared<ReopenedFiles>());
  EXPECT_FALSE(recording->load().value());
  const std::vector<BookmarkChange> change{{1, "here"}};
  ASSERT_TRUE(keepBookmarks(path, change));
  std::filesystem::last_write_time(
      path, std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_TRUE(recording->load().value());
  EXPECT_EQ(recording->journal().bookmarks().at(1), "here");
}

TEST_F(TraceRunTest, TheErrorNamesTheLimitOfOpenFiles) {
  Process(folder_, 0).note(EventKind::Step, "a");
  const FileLimit limit(3);  // the standard streams
  const auto recording = Recording::open(folder_ / "rank-0.shardlens");
  ASSERT_FALSE(recording);
  EXPECT_THAT(
      recording.error().message,
      HasSubstr("rank-0.shardlens cannot be opened: this process has reached its limit of"));
}

TEST_F(TraceRunTest, ProgressMayCancelTheOpening) {
  for (int rank = 0; rank < 8; ++rank) Process(folder_, rank).note(EventKind::Step, "a");
  std::vector<double> done;
  const auto count = [&](double part) { done.push_back(part); };
  ASSERT_TRUE(TraceReader::open({folder_.path()}, count));
  EXPECT_TRUE(std::ranges::is_sorted(done));
  EXPECT_EQ(done.back(), 1);
  struct Cancelled {};
  const auto cancel = [](double) { throw Cancelled(); };
  EXPECT_THROW(static_cast<void>(TraceReader::open({folder_.path()}, cancel)), Cancelled);
}

TEST_F(TraceRunTest, RefusesAFolderWithoutRecordings) {
  EXPECT_THAT(refusal(folder_), HasSubstr("has no recordings: expected files named *.shardlens"));
}

// The limits of all processes, which may arrive late.
TEST_F(TraceRunTest, MergesWhatTheRecordersCouldNotObserve) {
  std::vector<std::unique_ptr<Process>> processes;
  for (int rank = 0; rank < 3; ++rank) {
    processes.push_back(std::make_unique<Process>(folder_, rank));
    processes.back()->recorder.meta("limits", rank == 1 ? "plans: none" : "masks\nplans: none");
    processes.back()->note(EventKind::Step, "step");
    processes.back()->flush();
  }
  auto reader = TraceReader::open(folder_.path()).value();
  EXPECT_EQ(reader->journal().meta("limits"), "masks (ranks 0,2)\nplans: none");
  processes[1]->recorder.meta("limits", "plans: none\nvalues");
  for (auto& process : processes) {
    process->note(EventKind::Step, "step");
    process->flush();
  }
  EXPECT_TRUE(reader->refresh().value());
  EXPECT_EQ(reader->journal().meta("limits"), "masks (ranks 0,2)\nplans: none\nvalues (rank 1)");
}

}  // namespace
}  // namespace shardlens
