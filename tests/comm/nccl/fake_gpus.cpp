#include "tests/comm/nccl/fake_state.h"

#include <algorithm>
#include <cstring>

namespace shardlens {

FakeGpus::FakeGpus(int devices, Running running) : state_(std::make_unique<State>()) {
  state_->running = running;
  for (int i = 0; i < devices; ++i) state_->defaults.push_back({i, {}});
  fake::current = state_.get();
}

FakeGpus::~FakeGpus() { fake::current = nullptr; }

GpuApi FakeGpus::api() const { return {fake::nccl(), fake::cuda(), NCCL_VERSION_CODE, "fake"}; }

void FakeGpus::launch(int on, std::function<void()> kernel) {
  const fake::Lock lock(state_->mutex);
  state_->launch(state_->defaults[static_cast<std::size_t>(on)], std::move(kernel));
}

void FakeGpus::launch(cudaStream_t stream, std::function<void()> kernel) {
  const fake::Lock lock(state_->mutex);
  state_->launch(fake::streamOf(stream), std::move(kernel));
}

LocalCopy FakeGpus::copyKernel() {
  return [this](const std::vector<BlockCopy>& copies, cudaStream_t stream) {
    const fake::Lock lock(state_->mutex);
    for (const auto& written : copies) {
      for (const auto& other : copies) {
        const auto overlaps = [&](const void* data) {
          const auto* begin = static_cast<const char*>(written.to);
          const auto* from = static_cast<const char*>(data);
          return from < begin + written.bytes && begin < from + other.bytes;
        };
        state_->expect(!overlaps(other.from) && (&written == &other || !overlaps(other.to)),
                       "the copies of one launch overlap");
      }
    }
    state_->launch(fake::streamOf(stream), [copies] {
      for (const auto& [to, from, bytes] : copies) {
        std::memcpy(to, from, static_cast<std::size_t>(bytes));
      }
    });
  };
}

int FakeGpus::launches() const {
  const fake::Lock lock(state_->mutex);
  return state_->launches;
}

cudaStream_t FakeGpus::streamOn(int device) {
  const fake::Lock lock(state_->mutex);
  return reinterpret_cast<cudaStream_t>(&state_->computing.emplace_back(fake::Stream{device, {}}));
}

void FakeGpus::hold(bool held) {
  const fake::Lock lock(state_->mutex);
  state_->held = held;
}

void FakeGpus::finish() {
  const fake::Lock lock(state_->mutex);
  state_->progress();
}

std::vector<std::string> FakeGpus::calls() const {
  const fake::Lock lock(state_->mutex);
  return state_->calls;
}

int FakeGpus::count(const std::string& beginning) const {
  const auto all = calls();
  return static_cast<int>(std::count_if(all.begin(), all.end(), [&](const std::string& call) {
    return call.starts_with(beginning);
  }));
}

int FakeGpus::cudaCalls(const std::string& function) const {
  const fake::Lock lock(state_->mutex);
  const auto known = state_->cudaCalls.find(function);
  return known == state_->cudaCalls.end() ? 0 : known->second;
}

std::vector<std::string> FakeGpus::problems() const {
  const fake::Lock lock(state_->mutex);
  auto all = state_->problems;
  if (!state_->liveFactors.empty()) all.emplace_back("an operation is not destroyed");
  return all;
}

int FakeGpus::alive() const {
  const fake::Lock lock(state_->mutex);
  return static_cast<int>(state_->comms.size() + state_->streams.size() + state_->events.size() +
                          state_->memory.size());
}

void FakeGpus::failInitOf(int rank, ncclResult_t result) { state_->initFailures[rank] = result; }

void FakeGpus::failAt(int operation, int rank, ncclResult_t result) {
  const fake::Lock lock(state_->mutex);
  state_->failAt = operation;
  state_->failingRank = rank;
  state_->failure = result;
}

}  // namespace shardlens
