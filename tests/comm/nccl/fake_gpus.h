#pragma once

#include "core/comm/nccl/device/api.h"
#include "core/comm/nccl/device/buffers.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace shardlens {

// Fakes of GPUs, CUDA and NCCL that work in the memory of this process:
// - A stream runs its tasks in order, and only when its progress is polled.
// - An operation of NCCL runs when all members of the communicator have enqueued it.
// - A function that is asynchronous in CUDA or NCCL never blocks. The first call of each kind on a
//   blocking communicator blocks until all members make it, or until it is aborted.
// - Calls and violations of the rules of NCCL are recorded.
// Only one object may exist at a time. Any number of threads may use it, each as a process.
class FakeGpus {
 public:
  // Eagerly: tasks that can run do so at once, for code that reads results without streams.
  enum class Running { WhenLookedAt, Eagerly };
  explicit FakeGpus(int devices, Running running = Running::WhenLookedAt);
  ~FakeGpus();
  FakeGpus(const FakeGpus&) = delete;
  FakeGpus& operator=(const FakeGpus&) = delete;

  GpuApi api() const;

  // Enqueues a kernel on the default stream of a device, or on another stream.
  void launch(int device, std::function<void()> kernel);
  void launch(cudaStream_t stream, std::function<void()> kernel);

  // Returns a stand-in for copyKernel() that runs on the fakes. Overlapping copies are a problem.
  LocalCopy copyKernel();
  // Returns the number of kernels launched so far.
  int launches() const;

  // Returns a new stream of a device for computation. It lives as long as this object.
  cudaStream_t streamOn(int device);

  // While held, the streams that the code under test has created run no task.
  void hold(bool held);

  // Runs tasks until none can run any more.
  void finish();

  // calls() returns the calls so far, as "ncclAllReduce {0,2} 1 of 2: 6 float32 sum"; the braces
  // have the members' ranks in the first communicator. count() returns the number of calls that
  // start with `beginning`.
  std::vector<std::string> calls() const;
  int count(const std::string& beginning) const;
  // Returns how often a function of CUDA was called, as "cudaEventRecord".
  int cudaCalls(const std::string& function) const;
  // Returns the violations of the rules of NCCL and CUDA so far.
  std::vector<std::string> problems() const;
  // Returns the number of communicators, streams, events and allocations that are not released.
  int alive() const;

  // Makes the initialisation of the rank return `result`.
  void failInitOf(int rank, ncclResult_t result);
  // Stops all operations from this number on; the rank's communicators report `result` then.
  void failAt(int operation, int rank, ncclResult_t result);

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace shardlens
