#include "core/trace/file/ring_writer.h"
#include "core/trace/file/trace_writer.h"
#include "core/trace/merge/run_summary.h"
#include "core/trace/merge/trace_reader.h"
#include "core/trace/recorder/event_makers.h"
#include "tests/trace/killed_child.h"
#include "tests/trace/sample_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <new>
#include <set>
#include <sys/mman.h>

// Writers that are killed at system calls spread over their life. SHARDLENS_KILLS sets how often.
namespace shardlens {
namespace {

namespace fs = std::filesystem;

constexpr int kSegments = 2;  // of a recording
constexpr std::uint64_t kUsual = 12;

// A number that parent and child share.
class Shared {
 public:
  Shared()
      : number_(new (::mmap(nullptr, sizeof(Number), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Number(0)) {}
  ~Shared() { ::munmap(number_, sizeof(Number)); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  void set(std::int64_t value) { *number_ = value; }
  std::int64_t get() const { return *number_; }

 private:
  using Number = std::atomic<std::int64_t>;
  Number* number_;
};

// Records the program of a rank: steps of operators, with values, until two segments are full.
// Calls `after(step)`.
void recordRank(Recorder& recorder, EventSink& sink, int rank,
                const std::function<void(EventId last)>& after) {
  std::int64_t now = 0;
  recorder.setClock([&now] { return now += 100; });
  recorder.setCapture(CaptureLevel::All);
  recorder.addSink(sink);
  recorder.meta("mesh", "2:tp");
  recorder.meta("hosted", std::to_string(rank));
  recorder.setRanks(std::to_string(rank));
  EventId last = 0;
  for (int step = 0; last < kSegments * 65536; ++step) {
    recorder.setStep(step, 1);
    const EventId span = recorder.begin(makeStep(recorder, "step"));
    const TensorId x = recorder.addTensor("x", {DType::Int32, {8}, {Shard{0}}});
    recorder.note(makeResult(recorder, "x", x, 16, 0));
    recordValue(recorder, valueOf<int>(x, rank, {4}, {step, 1, 2, 3}));
    for (int i = 0; i < 5000; ++i) {
      const Span op(recorder, makeOperator(recorder, "aten.add"), {&x, 1});
      last = recorder.note(makeCompute(recorder, "local add"));
    }
    after(last);
    recorder.end(span);
  }
  recorder.removeSinks();
}

class KilledWriter : public ::testing::TestWithParam<const char*> {
 protected:
  KilledWriter() {
    ::setenv("SHARDLENS_JOURNAL", GetParam(), 1);
    const auto other = TraceWriter::create(other_).value();
    Recorder recorder;
    recordRank(recorder, *other, 1, [](EventId /*last*/) {});
    EXPECT_TRUE(other->close());
    Recorder again;
    recordRank(again, whole_, 0, [](EventId /*last*/) {});
  }
  ~KilledWriter() override { ::unsetenv("SHARDLENS_JOURNAL"); }

  // Records as rank 0. written_ is then the last event that is known to be in the file.
  void record() {
    written_.set(0);
    const auto writer = TraceWriter::create(path_).value();
    Recorder recorder;
    recordRank(recorder, *writer, 0, [&](EventId last) {
      if (writer->flush()) written_.set(last);
    });
    std::ignore = writer->close();
  }

  // The state after the child was killed.
  void expectOpens() {
    const auto run = TraceReader::open(folder_.path());
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_FALSE((*run)->mayGrow());
    if (!fs::exists(path_)) {
      EXPECT_EQ(written_.get(), 0);
      return;
    }
    const auto reader = TraceReader::open(path_);
    ASSERT_TRUE(reader) << reader.error().message;
    const Journal& journal = (*reader)->journal();
    ASSERT_GE(journal.size(), written_.get());
    for (EventId id = 1; id <= journal.size(); ++id) {
      Event expected = whole_.at(id);
      const Event got = journal.at(id);
      if (got.duration == Event::kRunning) expected.duration = Event::kRunning;
      ASSERT_EQ(got, expected) << id;
    }
    // The loss is stated: of a rank, or of a process that did not record its ranks.
    const bool isEmpty = journal.size() == 0 && journal.meta("hosted").empty();
    const auto stated = isEmpty ? std::vector{path_.string() +
                                              " is empty: its process was killed before it"
                                              " recorded its ranks"}
                                : std::vector<std::string>();
    const bool isClosed = !isEmpty && (*run)->lostRanks().empty();
    EXPECT_EQ((*run)->leftOut(), stated);
    EXPECT_EQ((*reader)->leftOut(), stated);
    EXPECT_TRUE(!isClosed || journal.size() == whole_.size()) << journal.size();
    // The totals, from segments and from events, add up to the same events.
    const auto totals = summarizeRun({folder_.path()}).value();
    EXPECT_EQ(totals.leftOut, stated);
    EXPECT_EQ(totals.events(), std::int64_t{journal.size()} + whole_.size());
    EXPECT_EQ(totals.files.size(), isEmpty ? 1U : 2U);
    EXPECT_TRUE(isEmpty || totals.files.front().summary.isClosed == isClosed);
  }

  const ScratchFolder folder_;
  const fs::path path_ = folder_ / "rank-0.shardlens";
  const fs::path other_ = folder_ / "rank-1.shardlens";
  Journal whole_;  // of rank 0
  Shared written_;
};
INSTANTIATE_TEST_SUITE_P(Modes, KilledWriter, ::testing::Values("wal", "rollback"),
                         [](const auto& mode) { return std::string(mode.param); });

TEST_P(KilledWriter, LosesOnlyWhatWasNotFlushed) {
  const auto whole = runAndKill(0, [this] { record(); });
  if (!whole) GTEST_SKIP() << "no process may be traced here";
  expectOpens();
  forEachKill(whole->calls, kUsual, [this](std::uint64_t last) {
    SCOPED_TRACE(last);
    for (const char* suffix : {"", "-wal", "-shm", "-journal", "-live"}) {
      fs::remove(path_.string() + suffix);
    }
    ASSERT_TRUE(runAndKill(last, [this] { record(); }));
    expectOpens();
  });
}

// A ring of 3 steps that retains the steps before an error and a NaN.
class KilledRing : public ::testing::Test {
 protected:
  static constexpr int kSteps = 24, kNan = 6, kError = 14;

  void record() {
    written_.set(0);
    const auto ring = RingWriter::create(path_, {.steps = 3}).value();
    Recorder recorder;
    recorder.setCapture(CaptureLevel::All);
    recorder.addSink(*ring);
    recorder.meta("hosted", "0");
    recorder.setRanks("0");
    for (int step = 1; step <= kSteps; ++step) {
      recorder.setStep(step - 1, 1);
      const EventId span = recorder.begin(makeStep(recorder, "step"));
      const TensorId x = recorder.addTensor("x", {DType::Float32, {1}, {Shard{0}}});
      recorder.note(makeResult(recorder, "x", x, 4, 0));
      const float value = step == kNan ? std::numeric_limits<float>::quiet_NaN() : 1;
      recordValue(recorder, valueOf<float>(x, 0, {1}, {value}));
      if (step == kError) recorder.note(makeError(recorder, "failed"));
      recorder.end(span);
      const auto isFlushed = [](const auto& writer) { return writer->flush().has_value(); };
      if (std::ranges::all_of(ring->writers(), isFlushed)) written_.set(step);
    }
    recorder.removeSinks();
    std::ignore = ring->close();
  }

  static std::set<int> stepsOf(const fs::path& path) {
    const auto reader = TraceReader::open(path);
    EXPECT_TRUE(reader) << reader.error().message;
    std::set<int> steps;
    if (!reader) return steps;
    const Journal& journal = (*reader)->journal();
    for (EventId id = 1; id <= journal.size(); ++id) {
      if (journal.at(id).kind == EventKind::Step) steps.insert(journal.at(id).step + 1);
    }
    return steps;
  }

  void expectOpens() {
    const int written = static_cast<int>(written_.get());
    if (written == 0 && !fs::exists(path_)) return;
    const auto steps = stepsOf(path_);
    if (written == 0) return;
    ASSERT_FALSE(steps.empty());
    EXPECT_GE(*steps.rbegin(), written);
    EXPECT_LE(*steps.begin(), std::max(1, written - 2));
    EXPECT_EQ(static_cast<int>(steps.size()), *steps.rbegin() - *steps.begin() + 1);
    expectRetained("kept-nan", kNan, steps);
    expectRetained("kept-error", kError, steps);
  }
  void expectRetained(const char* reason, int step, const std::set<int>& steps) {
    if (written_.get() < step || steps.contains(step)) return;
    const fs::path kept = folder_ / reason / path_.filename();
    ASSERT_TRUE(fs::exists(kept)) << reason << " after step " << written_.get();
    EXPECT_THAT(stepsOf(kept), ::testing::IsSupersetOf({step - 1, step}));
  }

  const ScratchFolder folder_;
  const fs::path path_ = folder_ / "rank-0.shardlens";
  Shared written_;
};

TEST_F(KilledRing, HasTheLastStepsAndWhatItRetained) {
  const auto whole = runAndKill(0, [this] { record(); });
  if (!whole) GTEST_SKIP() << "no process may be traced here";
  expectOpens();
  forEachKill(whole->calls, kUsual, [this](std::uint64_t last) {
    SCOPED_TRACE(last);
    fs::remove_all(folder_.path());
    fs::create_directory(folder_.path());
    ASSERT_TRUE(runAndKill(last, [this] { record(); }));
    expectOpens();
  });
}

}  // namespace
}  // namespace shardlens
