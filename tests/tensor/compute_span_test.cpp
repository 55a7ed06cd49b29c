#include "core/comm/simulated.h"
#include "core/memory/device_timer.h"
#include "core/trace/journal/journal.h"
#include "tests/comm/clocks.h"
#include "tests/tensor/ranks.h"

namespace shardlens {
namespace {

std::shared_ptr<Runtime> onClocks(int ranks) {
  auto comm = std::make_unique<OnClocks>(std::make_unique<SimulatedCommunicator>(ranks));
  return makeRuntime(*DeviceMesh::make({ranks}), std::move(comm));
}

at::Tensor ones(const std::shared_ptr<Runtime>& runtime) {
  const auto ranks = static_cast<std::size_t>(runtime->mesh()->size());
  const std::int64_t rows = runtime->mesh()->size();
  return makeSharded(runtime, Spec{runtime->mesh(), {Shard{0}}, {{rows}, {1}, DType::Float32}},
                     Buffers(ranks, at::ones({1})));
}

std::vector<std::int64_t> computeDurations(const Journal& journal) {
  std::vector<std::int64_t> durations;
  for (EventId id = 1; id <= journal.size(); ++id) {
    const auto& event = journal.at(id);
    if (event.kind == EventKind::Compute) durations.push_back(event.duration);
  }
  return durations;
}

TEST(ComputeSpan, LastsAsLongAsTheSlowestGpuComputes) {
  const auto runtime = onClocks(4);
  const auto x = ones(runtime);
  Journal journal;
  runtime->recorder().addSink(journal);
  runtime->recorder().setClock([] { return 1; });
  const int before = Clocks::recorded;
  x.add(x);
  EXPECT_EQ(Clocks::recorded - before, 4) << "two for each of two devices";
  runtime->recorder().readDurations(Recorder::Wait::Yes);
  EXPECT_EQ(computeDurations(journal), std::vector<std::int64_t>{4000000});
  for (EventId id = 1; id <= journal.size(); ++id) {
    const auto& event = journal.at(id);
    if (event.kind != EventKind::Compute) {
      EXPECT_EQ(event.duration, 0) << journal.name(event);
    }
  }
}

// Operators wait for no GPU, and take the events of operators whose durations were read.
TEST(ComputeSpan, IsReadWhenTheGpusHaveFinished) {
  const auto runtime = onClocks(4);
  const auto x = ones(runtime);
  Journal journal;
  runtime->recorder().addSink(journal);
  const int waits = Clocks::waits;
  x.add(x);
  x.mul(x);
  EXPECT_EQ(Clocks::waits, waits);
  constexpr auto kRunning = Event::kRunning;
  EXPECT_EQ(computeDurations(journal), (std::vector<std::int64_t>{kRunning, kRunning}));
  runtime->recorder().readDurations(Recorder::Wait::No);
  EXPECT_EQ(computeDurations(journal), (std::vector<std::int64_t>{kRunning, kRunning}));
  Clocks::come = Clocks::recorded;
  runtime->recorder().readDurations(Recorder::Wait::No);
  EXPECT_EQ(computeDurations(journal), (std::vector<std::int64_t>{4000000, 4000000}));
  EXPECT_EQ(Clocks::waits, waits);
  const int made = Clocks::made;
  x.add(x);
  EXPECT_EQ(Clocks::made, made);
  runtime->recorder().removeSinks();
  EXPECT_EQ(computeDurations(journal).back(), 4000000) << "the end of a recording waits";
}

TEST(ComputeSpan, UsesNoGpuIfTimesAreNotRecorded) {
  const auto runtime = onClocks(4);
  const auto x = ones(runtime);
  const int before = Clocks::recorded;
  x.add(x);
  Journal journal({.times = false});
  runtime->recorder().addSink(journal);
  x.add(x);
  EXPECT_GT(journal.size(), 0U);
  EXPECT_EQ(Clocks::recorded, before);
}

TEST(ComputeSpan, TakesTheRecordersTimeOnTheProcessor) {
  EXPECT_FALSE(DeviceTimer({at::kCPU, at::kMeta}).isTiming());
  const auto runtime = ranks({2});
  const auto x = distribute(runtime, at::ones({2}), {Shard{0}});
  Journal journal;
  runtime->recorder().addSink(journal);
  runtime->recorder().setClock([now = 0]() mutable { return now += 10; });
  x.add(x);
  EXPECT_EQ(computeDurations(journal), std::vector<std::int64_t>{10});
}

}  // namespace
}  // namespace shardlens
