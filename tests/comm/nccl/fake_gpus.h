#pragma once

#include "core/comm/nccl/device/api.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace shardlens {

// GPUs and NCCL as they behave, in the processor's memory: streams run what they were given in its
// order and no sooner than somebody looks, NCCL's operations happen when all members of a
// communicator have come to them, and nothing that does not block blocks. Writes down what is
// called, and what breaks NCCL's rules. All takes a quarter of a second on the first GPU, and one
// quarter more on each after it. One at a time; for any number of threads, each of which may stand
// for a process.
class FakeGpus {
 public:
  // Eagerly: whatever can run does so at once, for code that does not go through streams.
  enum class Running { WhenLookedAt, Eagerly };
  explicit FakeGpus(int devices, Running running = Running::WhenLookedAt);
  ~FakeGpus();
  FakeGpus(const FakeGpus&) = delete;
  FakeGpus& operator=(const FakeGpus&) = delete;

  GpuApi api() const;

  // To be done on the default stream of a device, as a kernel would; or on another one.
  void launch(int device, std::function<void()> kernel);
  void launch(cudaStream_t stream, std::function<void()> kernel);

  // A stream of a device to compute on that is not its default one; as long as this lives.
  cudaStream_t streamOn(int device);

  // While held, what is on streams of communication does not run.
  void hold(bool held);

  // Until nothing more can run.
  void finish();

  // What was called, as "ncclAllReduce {0,2} 1 of 2: 6 float32 sum", where {} has the members'
  // ranks in the first communicator; and how many calls begin so.
  std::vector<std::string> calls() const;
  int count(const std::string& beginning) const;
  // Rules of NCCL or CUDA that were broken.
  std::vector<std::string> problems() const;
  // What has been made and not been released: communicators, streams, events, memory.
  int alive() const;

  // The rank's initialisation ends with this.
  void failInitOf(int rank, ncclResult_t result);
  // From the so-manieth operation on nothing runs any more, and the rank's communicators say this.
  void failAt(int operation, int rank, ncclResult_t result);

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace shardlens
