#include "core/trace/file/database.h"
#include "core/trace/file/trace_writer.h"
#include "core/trace/merge/trace_reader.h"
#include "core/trace/recorder/event_makers.h"
#include "core/trace/snapshot/state_index.h"
#include "tests/trace/sample_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sched.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace shardlens {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAreArray;

// Runs `body` in a child process. Returns the status from waitpid.
template <class Body>
int inChild(const Body& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

// Records, flushes, and kills the process inside of a span.
int writeAndDie(const std::filesystem::path& path) {
  auto writer = TraceWriter::create(path).value();
  Recorder recorder;
  recorder.addSink(*writer);
  recorder.setCapture(CaptureLevel::All);
  recordSample(recorder);
  recordLong(recorder, 600);
  recorder.begin(Event{});
  if (!writer->flush()) return 1;
  return std::raise(SIGKILL);
}

// Runs in each journal mode.
class TraceKill : public ::testing::TestWithParam<const char*> {
 protected:
  TraceKill() { ::setenv("SHARDLENS_JOURNAL", GetParam(), 1); }
  ~TraceKill() override { ::unsetenv("SHARDLENS_JOURNAL"); }
  bool isWal() const { return GetParam() == std::string_view("wal"); }

  const ScratchFolder folder;
};
INSTANTIATE_TEST_SUITE_P(Modes, TraceKill, ::testing::Values("wal", "rollback"),
                         [](const auto& mode) { return std::string(mode.param); });

TEST_P(TraceKill, LeavesARecordingThatOpens) {
  const auto path = folder / "run.shardlens";
  const int status = inChild([&] { return writeAndDie(path); });
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  {
    const auto reader = TraceReader::open(path).value();
    const Journal& journal = reader->journal();
    ASSERT_EQ(journal.size(), 19U + 1 + 3 * 600 + 1);
    EXPECT_EQ(journal.at(journal.size()).duration, Event::kRunning);
    EXPECT_GE(journal.at(20).duration, 0);
    EXPECT_EQ(journal.tensors(), 4U + 600);
    EXPECT_FALSE(reader->mayGrow());
  }
  EXPECT_THAT(folder.names(), ElementsAre("run.shardlens"));
}

// A sink that kills the process at an event. With `flushes`, all events before it are in the file.
class Killer final : public EventSink {
 public:
  Killer(TraceWriter& writer, EventId last, bool flushes)
      : writer_(writer), last_(last), flushes_(flushes) {}
  void onMeta(std::string_view /*key*/, std::string_view /*value*/) override {}
  void onString(StringId /*id*/, std::string_view /*text*/) override {}
  void onSpec(SpecId /*id*/, const Spec& /*spec*/) override {}
  void onRoute(RouteId /*id*/, const Route& /*route*/) override {}
  void onTensor(TensorId /*id*/, StringId /*name*/, SpecId /*spec*/) override {}
  void onValue(const ValueRecord& /*value*/) override {}
  void onEnd(EventId /*id*/, std::int64_t /*duration*/) override {}
  void onEvent(EventId id, const Event& /*event*/, std::span<const TensorId>) override {
    if (id != last_) return;
    if (flushes_ && !writer_.flush()) ::_exit(1);
    std::raise(SIGKILL);
  }

 private:
  TraceWriter& writer_;
  EventId last_;
  bool flushes_;
};

void writeAndDieAt(const std::filesystem::path& path, EventId last, bool flushes) {
  const int status = inChild([&] {
    auto writer = TraceWriter::create(path).value();
    Killer killer(*writer, last, flushes);
    Recorder recorder;
    recorder.addSink(*writer);
    recorder.addSink(killer);
    recorder.setCapture(CaptureLevel::All);
    recordSample(recorder);
    return 2;
  });
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "event " << last;
}

TEST_P(TraceKill, AtAnyEventLeavesTheEarlierEvents) {
  Journal whole;
  Recorder recorder;
  recorder.addSink(whole);
  recordSample(recorder);
  StateIndex expected(whole);
  for (EventId last = 1; last <= whole.size(); ++last) {
    for (const bool flushes : {true, false}) {
      writeAndDieAt(folder / "run.shardlens", last, flushes);
      const auto reader = TraceReader::open(folder / "run.shardlens");
      ASSERT_TRUE(reader) << reader.error().message;
      const Journal& journal = (*reader)->journal();
      if (flushes) {
        EXPECT_EQ(journal.size(), last);
      }
      EXPECT_LE(journal.size(), last);
      EXPECT_EQ(StateIndex(journal).at(journal.size()), expected.at(journal.size())) << last;
      EXPECT_FALSE((*reader)->mayGrow()) << last;
    }
  }
}

TEST_P(TraceKill, ItsLeftoverFilesAreNotPartOfTheNextRecording) {
  const auto path = folder / "run.shardlens";
  inChild([&] { return writeAndDie(path); });
  std::vector<std::string> left = {"run.shardlens", "run.shardlens-live"};
  if (isWal()) left.insert(left.end(), {"run.shardlens-shm", "run.shardlens-wal"});
  EXPECT_THAT(folder.names(), UnorderedElementsAreArray(left));
  auto writer = TraceWriter::create(path).value();
  writer->onEvent(1, Event{});
  ASSERT_TRUE(writer->close());
  EXPECT_EQ(TraceReader::open(path).value()->journal().size(), 1U);
  EXPECT_THAT(folder.names(), ElementsAre("run.shardlens"));
}

// Drops root's capabilities, which allow it to write to any file. Returns false if that fails.
bool dropCapabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  return ::syscall(SYS_capset, &header, none) == 0;
}

// Opens the recording without write access. Returns 0 if it has this number of events.
int openAsReader(const std::filesystem::path& path, EventId events) {
  if (!dropCapabilities()) return 2;
  const auto reader = TraceReader::open(path);
  if (!reader) return 3;
  return (*reader)->journal().size() == events ? 0 : 4;
}

void expectOpensReadOnly(const ScratchFolder& folder, EventId events) {
  using std::filesystem::perms;
  for (const auto& name : folder.names()) {
    std::filesystem::permissions(folder / name, perms(0444));
  }
  std::filesystem::permissions(folder.path(), perms(0555));
  const int status = inChild([&] { return openAsReader(folder / "run.shardlens", events); });
  std::filesystem::permissions(folder.path(), perms(0755));
  EXPECT_EQ(status, 0) << "exit code " << WEXITSTATUS(status);
}

TEST_P(TraceKill, OpensInAReadOnlyFolder) {
  const auto path = folder / "run.shardlens";
  inChild([&] { return writeAndDie(path); });
  expectOpensReadOnly(folder, 19U + 1 + 3 * 600 + 1);
  // Again with the write-ahead log checkpointed, but the file still in WAL mode.
  for (const auto& name : folder.names()) {
    std::filesystem::permissions(folder / name, std::filesystem::perms(0644));
  }
  ASSERT_FALSE(TraceReader::open(path).value()->mayGrow());
  ASSERT_THAT(folder.names(), ElementsAre("run.shardlens"));
  expectOpensReadOnly(folder, 19U + 1 + 3 * 600 + 1);
}

TEST_P(TraceKill, IsNoticedByEachOfSeveralReaders) {
  const auto path = folder / "run.shardlens";
  inChild([&] { return writeAndDie(path); });
  const auto one = TraceReader::open(path).value();
  const auto other = TraceReader::open(path).value();
  EXPECT_FALSE(one->mayGrow());
  EXPECT_FALSE(other->mayGrow());
}

// Kills the process in a transaction that has already written to the file.
int dieInACommit(const std::filesystem::path& path) {
  Database database(path, Database::Access::ReadWrite);
  database.execute(
      "PRAGMA cache_size=1; BEGIN; DELETE FROM blocks; CREATE TABLE waste(data);"
      " INSERT INTO waste VALUES(zeroblob(1000000));");
  return std::raise(SIGKILL);
}

// Returns 0 if opening without write access is refused because of the incomplete commit.
int openRefusesTheJournal(const std::filesystem::path& path) {
  if (!dropCapabilities()) return 2;
  const auto reader = TraceReader::open(path);
  if (reader) return 3;
  return reader.error().message == path.string() +
                                       " cannot be read: its writer was killed during a commit,"
                                       " and run.shardlens-journal cannot be applied in this"
                                       " folder, expected a writable folder"
             ? 0
             : 4;
}

TEST_P(TraceKill, ACommitThatWasCutShortIsRolledBack) {
  const auto path = folder / "run.shardlens";
  inChild([&] { return writeAndDie(path); });
  inChild([&] { return dieInACommit(path); });
  if (!isWal()) {
    ASSERT_GT(std::filesystem::file_size(path.string() + "-journal"), 0U);
    std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
    const int status = inChild([&] { return openRefusesTheJournal(path); });
    std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
    EXPECT_EQ(status, 0) << "exit code " << WEXITSTATUS(status);
  }
  EXPECT_EQ(TraceReader::open(path).value()->journal().size(), 19U + 1 + 3 * 600 + 1);
  EXPECT_FALSE(std::filesystem::exists(path.string() + "-journal"));
}

TEST_P(TraceKill, ARemovedFolderIsReported) {
  const auto inside = folder / "inside";
  std::filesystem::create_directory(inside);
  auto writer = TraceWriter::create(inside / "run.shardlens").value();
  writer->onEvent(1, Event{});
  ASSERT_TRUE(writer->flush());
  std::filesystem::remove_all(inside);
  writer->onEvent(2, Event{});
  const auto closed = writer->close();
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().message, "cannot write " + (inside / "run.shardlens").string() +
                                        ": the file was removed while it was recorded");
}

// Records more than `room` bytes with that limit on the file size. Returns 0 if flush() and close()
// report the error as they must.
int fillTheDisk(const std::filesystem::path& path, rlim_t room) {
  std::signal(SIGXFSZ, SIG_IGN);
  auto writer = TraceWriter::create(path).value();
  const rlimit limit{room, room};
  if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 2;
  Recorder recorder;
  recorder.addSink(*writer);
  recordLong(recorder, 30000);
  const auto flushed = writer->flush();
  if (flushed) return 3;
  if (!::testing::Matches(StartsWith("cannot write " + path.string() + ": "))(
          flushed.error().message)) {
    return 4;
  }
  recordLong(recorder, 10);
  const auto closed = writer->close();
  return !closed && closed.error().message == flushed.error().message ? 0 : 5;
}

constexpr int kNoDisk = 77;

// Mounts a disk of 4 MB that only this process sees. Returns false if that is not permitted.
bool mountSmallDisk(const std::filesystem::path& folder) {
  const bool apart = ::unshare(CLONE_NEWNS) == 0 || ::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0;
  return apart && ::mount("none", folder.c_str(), "tmpfs", 0, "size=4m") == 0;
}

// Writes to the file until the disk is full.
void fill(const std::filesystem::path& path) {
  std::ofstream file(path, std::ios::binary);
  const std::string some(4096, 'x');
  while (file.write(some.data(), static_cast<std::streamsize>(some.size())).flush()) {
  }
}

// Returns 0 if a recording that fills its disk ends with an Error event about it, and kNoDisk if no
// small disk can be mounted.
int endOnAFullDisk(const std::filesystem::path& folder) {
  if (!mountSmallDisk(folder)) return kNoDisk;
  const auto path = folder / "run.shardlens";
  auto writer = TraceWriter::create(path).value();
  Recorder recorder;
  recorder.addSink(*writer);
  recorder.setCapture(CaptureLevel::All);
  const TensorId id = recorder.addTensor("w", {DType::UInt8, {65536}, {Replicate{}}});
  constexpr int kSteps = 100;  // too many for the disk
  for (int step = 0; step < kSteps; ++step) {
    recorder.setStep(step, step + 1);
    recorder.note(makeStep(recorder, "w = ..."));
    recordValue(recorder,
                valueOf<std::uint8_t>(id, 0, {65536}, std::vector<std::uint8_t>(65536, 7)));
    if (!writer->flush()) break;
    if (step == 0) fill(folder / "others");
  }
  const auto closed = writer->close();
  if (closed || closed.error().message.find("full") == std::string::npos) return 2;
  const auto reader = TraceReader::open(path);
  if (!reader) return 3;
  const Journal& journal = (*reader)->journal();
  const Event last = journal.at(journal.size());
  if (last.kind != EventKind::Error || journal.firstError() != journal.size()) return 4;
  if (journal.name(last) != "the recording ends here: " + closed.error().message) return 5;
  const Event before = journal.at(journal.size() - 1);
  return last.step == before.step && last.line == before.line && last.step < kSteps - 1 ? 0 : 6;
}

TEST_P(TraceKill, AFullDiskEndsARecordingWithAnErrorEvent) {
  const int status = inChild([&] { return endOnAFullDisk(folder / ""); });
  if (WEXITSTATUS(status) == kNoDisk) GTEST_SKIP() << "no file system may be mounted here";
  EXPECT_EQ(status, 0) << "exit code " << WEXITSTATUS(status);
}

TEST_P(TraceKill, AFullDiskIsReportedAndWrittenEventsRemain) {
  const auto path = folder / "run.shardlens";
  for (const rlim_t room : {1 << 10, 100 << 10, 200 << 10, 400 << 10}) {
    const int status = inChild([&] { return fillTheDisk(path, room); });
    ASSERT_EQ(status, 0) << "exit code " << WEXITSTATUS(status);
    const auto reader = TraceReader::open(path);
    ASSERT_TRUE(reader) << reader.error().message;
    EXPECT_LT((*reader)->journal().size(), 1U + 3 * 30000);
  }
}

}  // namespace
}  // namespace shardlens
