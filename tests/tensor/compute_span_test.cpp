#include "core/comm/simulated.h"
#include "core/memory/device_timer.h"
#include "core/trace/journal/journal.h"
#include "tests/comm/forwarding.h"
#include "tests/tensor/ranks.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>

namespace shardlens {
namespace {

// A device type with two devices that have a clock but no data. Every span takes 2.5 ms on the
// first device and 4 ms on the second. An event has completed once it or a later one was waited
// for.
class Clocks final : public c10::impl::DeviceGuardImplInterface {
 public:
  static constexpr auto kType = c10::DeviceType::MTIA;
  struct Event {
    bool isTimed;
    int number;
  };
  static inline int recorded = 0;
  static inline int come = 0;
  static inline int alive = 0;

  c10::DeviceType type() const override { return kType; }
  c10::Device exchangeDevice(c10::Device device) const override { return device; }
  c10::Device getDevice() const override { return {kType, 0}; }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::Stream getStream(c10::Device device) const override {
    return c10::Stream(c10::Stream::DEFAULT, device);
  }
  c10::Stream exchangeStream(c10::Stream stream) const override { return stream; }
  c10::DeviceIndex deviceCount() const noexcept override { return 2; }

  void record(void** event, const c10::Stream&, const c10::DeviceIndex,
              const c10::EventFlag flag) const override {
    *event = new Event{flag == c10::EventFlag::BACKEND_DEFAULT, ++recorded};
    ++alive;
  }
  void destroyEvent(void* event, const c10::DeviceIndex) const noexcept override {
    delete static_cast<Event*>(event);
    --alive;
  }
  bool queryEvent(void* event) const override { return static_cast<Event*>(event)->number <= come; }
  void synchronizeEvent(void* event) const override {
    come = std::max(come, static_cast<Event*>(event)->number);
  }
  double elapsedTime(void* begin, void* end, const c10::DeviceIndex device) const override {
    const bool areTimed = static_cast<Event*>(begin)->isTimed && static_cast<Event*>(end)->isTimed;
    return areTimed ? 2.5 + 1.5 * device : -1;
  }
};

C10_REGISTER_GUARD_IMPL(MTIA, Clocks)

class OnClocks final : public Forwarding {
 public:
  using Forwarding::Forwarding;
  at::Device device(int rank) const override {
    return {Clocks::kType, static_cast<c10::DeviceIndex>(rank % 2)};
  }
};

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

TEST(ComputeSpan, LastsAsLongAsTheSlowestGpuComputes) {
  const auto runtime = onClocks(4);
  const auto x = ones(runtime);
  Journal journal;
  runtime->recorder().addSink(journal);
  runtime->recorder().setClock([] { return 1; });
  const int before = Clocks::recorded;
  x.add(x);
  EXPECT_EQ(Clocks::recorded - before, 4) << "two for each of two devices";
  EXPECT_EQ(Clocks::alive, 0);
  int computed = 0;
  for (EventId id = 1; id <= journal.size(); ++id) {
    const auto& event = journal.at(id);
    const bool computes = event.kind == EventKind::Compute;
    EXPECT_EQ(event.duration, computes ? 4000000 : 0) << journal.name(event);
    computed += computes ? 1 : 0;
  }
  EXPECT_EQ(computed, 1);
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
  EXPECT_EQ(DeviceTimer({at::kCPU, at::kMeta}).wait(), std::nullopt);
  const auto runtime = ranks({2});
  const auto x = distribute(runtime, at::ones({2}), {Shard{0}});
  Journal journal;
  runtime->recorder().addSink(journal);
  runtime->recorder().setClock([now = 0]() mutable { return now += 10; });
  x.add(x);
  std::vector<std::int64_t> durations;
  for (EventId id = 1; id <= journal.size(); ++id) {
    const auto& event = journal.at(id);
    if (event.kind == EventKind::Compute) durations.push_back(event.duration);
  }
  EXPECT_EQ(durations, std::vector<std::int64_t>{10});
}

}  // namespace
}  // namespace shardlens
