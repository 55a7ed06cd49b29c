#pragma once

#include "kernels/host_device.h"

#ifdef __CUDACC__
#include <cuda_pipeline.h>
#endif

namespace shardlens::kernels::cuda {

// Asynchronous copies from global to shared memory. Words of less than 4 bytes are copied
// synchronously, as are all words on a CPU.

template <class Word>
SHARDLENS_HOST_DEVICE void copyAhead(Word* shared, const Word* from) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(Word) >= 4) {
    __pipeline_memcpy_async(shared, from, sizeof(Word));
  } else {
    *shared = *from;
  }
#else
  *shared = *from;
#endif
}

// Ends a step. A step has the copies that the thread started since the last call.
SHARDLENS_HOST_DEVICE inline void endStep() {
#ifdef __CUDA_ARCH__
  __pipeline_commit();
#endif
}

// Waits for the thread's copies, except those of the last kSteps steps.
template <int kSteps>
SHARDLENS_HOST_DEVICE void waitForSteps() {
#ifdef __CUDA_ARCH__
  __pipeline_wait_prior(kSteps);
#endif
}

}  // namespace shardlens::kernels::cuda
