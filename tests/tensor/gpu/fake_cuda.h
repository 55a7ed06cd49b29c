#pragma once

#include "core/comm/communicator.h"

#include <memory>
#include <string>
#include <vector>

namespace shardlens {

// A fake of CUDA for libtorch, on machines without a GPU and without libtorch_cuda. After
// install(), tensors on kCUDA have memory of this process, and their operators run on the
// processor. The fake differs from the processor where a GPU does:
// - The multi-tensor operators (_foreach_*_, _fused_*_, _amp_foreach_*) take the address of what
//   they write by const_data_ptr(), so that they write into the memory of all lazy clones.
// - An operator that would launch a kernel of no blocks throws "CUDA error: invalid argument".
// - Operators that draw random numbers throw, because a GPU draws other numbers.
// - Tensors on different devices do not mix, except for numbers (0-dim tensors) of the processor.
// - The allocator cuts large tensors out of freed blocks, as torch's caching allocator does.
// - Attention has kernels that take some dtypes, alignments and seeds only, see fake_attention.cpp.
// There are two devices. The kernels of lookups, losses and copies are the processor's,
// see fake_kernels.cpp. Streams are faked below torch, in tests/comm/nccl.
namespace fake_cuda {

// Registers the fake. Idempotent; it stays for the rest of the process. Call it before torch is
// asked about CUDA, because torch caches the answer.
void install();

// What the fake was called for since the process started.
struct Counts {
  int idChecks = 0;      // queued
  int waits = 0;         // for checks of ids
  int copyLaunches = 0;  // of kernels that copy pieces or blocks
  int largeBlocks = 0;   // that the allocator has requested from the device, of 10 MiB and more
};
Counts& counts();

// Returns a communicator whose ranks alternate between the two devices. A collective throws
// std::logic_error if a buffer is not on the device of its rank.
std::unique_ptr<Communicator> communicator(int ranks);

}  // namespace fake_cuda
}  // namespace shardlens
