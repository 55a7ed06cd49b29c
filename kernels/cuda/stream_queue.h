#pragma once

// For .cu files only.

#include "kernels/cuda/grid.h"
#include "kernels/cuda/group.h"
#include "kernels/cuda/stream.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <stdexcept>
#include <string>

namespace shardlens::kernels::cuda {

// Throws std::runtime_error if `status` is not cudaSuccess.
inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  throw std::runtime_error(std::string("CUDA ") + what + ": " + cudaGetErrorString(status));
}

// Stream-ordered GPU memory. Work that is queued on the stream before the destructor runs may use
// it. 0 bytes give a null address.
class Scratch {
 public:
  Scratch(std::size_t bytes, Stream stream);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }
  void* data() const { return data_; }
  std::uint32_t* numbers() const { return as<std::uint32_t>(); }
  // Copies from pageable CPU memory, which may be freed when this returns.
  void set(const void* from);

 private:
  std::size_t bytes_;
  Stream stream_;
  void* data_ = nullptr;
};

template <class Body>
__global__ void __launch_bounds__(kThreads) runBody(const __grid_constant__ Body body) {
  body(Place{.block = static_cast<std::int64_t>(blockIdx.x),
             .blocks = static_cast<std::int64_t>(gridDim.x),
             .slice = static_cast<std::int64_t>(blockIdx.y),
             .slices = static_cast<std::int64_t>(gridDim.y),
             .thread = static_cast<int>(threadIdx.x)});
}

// See Note [Threads that cooperate]. A block has one group if that is a block, else as many warps
// as it has room for; each group has its own Shared.
template <class Body>
__global__ void __launch_bounds__(threadsPerBlock<Body>())
    runGroups(const __grid_constant__ Body body) {
  constexpr int kGroups = threadsPerBlock<Body>() / Body::Group::kThreads;
  __shared__ typename Body::Shared shared[kGroups];
  const auto group = static_cast<int>(threadIdx.x) / Body::Group::kThreads;
  body(typename Body::Group{},
       GroupPlace{.group = static_cast<std::int64_t>(blockIdx.x) * kGroups + group,
                  .groups = static_cast<std::int64_t>(gridDim.x) * kGroups,
                  .slice = static_cast<std::int64_t>(blockIdx.y),
                  .slices = static_cast<std::int64_t>(gridDim.y)},
       shared[group]);
}

// Queues kernels on a stream and allocates their scratch memory. The tests use a substitute that
// runs kernels at once on the CPU.
struct StreamQueue {
  using Memory = Scratch;

  Stream stream;

  // Runs body(place) for every thread of the grid. Returns when the kernel is queued. Throws
  // std::runtime_error, with `what` in its text, on a CUDA error. Does nothing for a grid without
  // blocks.
  template <class Body>
  void launch(const Shape& shape, const Body& body, const char* what) {
    static_assert(sizeof(Body) <= 4096, "what every driver passes to a kernel");
    if (shape.blocks == 0) return;
    const dim3 grid(static_cast<unsigned>(shape.blocks), static_cast<unsigned>(shape.slices));
    runBody<<<grid, kThreads, 0, stream>>>(body);
    check(cudaGetLastError(), what);
  }

  // Runs body(group, place, shared) for every group of the grid, whose shape is in blocks.
  // Otherwise as launch().
  template <class Body>
  void launchGroups(const Shape& shape, const Body& body, const char* what) {
    static_assert(sizeof(Body) <= 4096, "what every driver passes to a kernel");
    if (shape.blocks == 0) return;
    const dim3 grid(static_cast<unsigned>(shape.blocks), static_cast<unsigned>(shape.slices));
    runGroups<<<grid, threadsPerBlock<Body>(), 0, stream>>>(body);
    check(cudaGetLastError(), what);
  }

  // Returns memory that is valid for work queued before its destruction.
  Scratch scratch(std::size_t bytes) { return {bytes, stream}; }
  // Sorts items by the lowest `keyBits` bits of their keys. The sort is stable.
  void sortByKey(const std::uint32_t* keys, std::uint32_t* sortedKeys, const std::uint32_t* items,
                 std::uint32_t* sortedItems, std::int64_t count, int keyBits);
};

}  // namespace shardlens::kernels::cuda
