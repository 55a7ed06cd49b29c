#pragma once

#include "kernels/cuda/grid.h"

#include <bit>
#include <cstdint>

namespace shardlens::kernels::cuda {

// Note [Threads that cooperate]
// The body of a kernel whose threads share work is written once for a group of threads: a warp or a
// block. Outside of each() and ballot(), all threads of the group run the same statements on the
// same values. each(f) calls f(thread) for every thread, and then makes what the threads wrote to
// shared memory visible to the whole group. Values that differ between threads and outlive an
// each() are PerThread. A GPU runs each() as one call per thread and a barrier; a CPU, which runs
// the tests, as a loop over the threads.
//
// A body declares `using Group`, a `struct Shared` for its shared memory, which starts undefined,
// and operator()(const Group&, const GroupPlace&, Shared&). See StreamQueue::launchGroups().

inline constexpr int kWarp = 32;

// The position of a group. A group does every `groups`-th item; a slice is a part of each row.
struct GroupPlace {
  std::int64_t group;
  std::int64_t groups;
  std::int64_t slice;
  std::int64_t slices;
};

// Returns the position of a group's thread.
SHARDLENS_HOST_DEVICE inline Place placeOf(const GroupPlace& at, int thread) {
  return {at.group, at.groups, at.slice, at.slices, thread};
}

// A value that each of kCount threads has.
template <class T, int kCount>
struct PerThread {
#ifdef __CUDA_ARCH__
  T value;
  SHARDLENS_HOST_DEVICE T& operator[](int) { return value; }
#else
  T values[kCount];
  SHARDLENS_HOST_DEVICE T& operator[](int thread) { return values[thread]; }
#endif
};

// Returns the value of the thread of the warp whose number is this thread's number ^ distance. All
// threads of the warp must call it.
#ifdef __CUDACC__
__device__ inline float fromThread(float value, int distance) {
  return __shfl_xor_sync(~0U, value, distance);
}
__device__ inline double fromThread(double value, int distance) {
  return __shfl_xor_sync(~0U, value, distance);
}
#endif

// The threads of a warp or a block that run a body together. See Note [Threads that cooperate].
template <int kCount>
class Group {
 public:
  static constexpr int kThreads = kCount;
  static_assert(kCount % kWarp == 0);

  // Calls f(thread) for every thread of the group, then synchronises the group.
  template <class F>
  SHARDLENS_HOST_DEVICE void each(F f) const {
#ifdef __CUDA_ARCH__
    f(self());
    if constexpr (kCount == kWarp) {
      __syncwarp();
    } else {
      __syncthreads();
    }
#else
    for (int thread = 0; thread < kCount; ++thread) f(thread);
#endif
  }

  // Returns the bits f(thread) of a warp, thread 0 in the lowest. f is called once per thread.
  template <class F>
  SHARDLENS_HOST_DEVICE std::uint32_t ballot(F f) const {
    static_assert(kCount == kWarp);
#ifdef __CUDA_ARCH__
    return __ballot_sync(~0U, f(self()));
#else
    std::uint32_t bits = 0;
    for (int thread = 0; thread < kCount; ++thread) bits |= std::uint32_t{f(thread)} << thread;
    return bits;
#endif
  }

  // Replaces the value of each thread by f(value, value of thread ^ distance), inside each warp.
  // On a GPU, fromThread() must exist for T.
  template <class T, class F>
  SHARDLENS_HOST_DEVICE void combine(PerThread<T, kCount>& values, int distance, F f) const {
#ifdef __CUDA_ARCH__
    values.value = f(values.value, fromThread(values.value, distance));
#else
    const auto before = values;
    for (int thread = 0; thread < kCount; ++thread) {
      values[thread] = f(before.values[thread], before.values[thread ^ distance]);
    }
#endif
  }

 private:
#ifdef __CUDA_ARCH__
  SHARDLENS_HOST_DEVICE static int self() {
    return static_cast<int>(kCount == kWarp ? threadIdx.x % kWarp : threadIdx.x);
  }
#endif
};

using Warp = Group<kWarp>;

// Returns the threads of a block that runs this body: those of its group, or several warps.
template <class Body>
SHARDLENS_HOST_DEVICE constexpr int threadsPerBlock() {
  return Body::Group::kThreads == kWarp ? kThreads : Body::Group::kThreads;
}

// Returns the number of bits that are set.
SHARDLENS_HOST_DEVICE inline int bitCount(std::uint32_t bits) {
#ifdef __CUDA_ARCH__
  return __popc(bits);
#else
  return std::popcount(bits);
#endif
}
// Returns the position of the lowest bit that is set, or 32 if none is.
SHARDLENS_HOST_DEVICE inline int lowestBit(std::uint32_t bits) {
#ifdef __CUDA_ARCH__
  return bits == 0 ? kWarp : __ffs(static_cast<int>(bits)) - 1;
#else
  return std::countr_zero(bits);
#endif
}
// Returns the bits of all threads before this one. Requires thread < 32.
SHARDLENS_HOST_DEVICE inline std::uint32_t bitsBelow(int thread) { return (1U << thread) - 1; }

// Adds to a counter in global memory and returns its former value.
SHARDLENS_HOST_DEVICE inline std::uint32_t countMore(std::uint32_t* counter, std::uint32_t more) {
#ifdef __CUDA_ARCH__
  return atomicAdd(counter, more);
#else
  const std::uint32_t before = *counter;
  *counter += more;
  return before;
#endif
}
SHARDLENS_HOST_DEVICE inline std::uint32_t countOne(std::uint32_t* counter) {
  return countMore(counter, 1);
}

}  // namespace shardlens::kernels::cuda
