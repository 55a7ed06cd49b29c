#pragma once

#include "core/comm/nccl/device/buffers.h"
#include "core/memory/buffers.h"
#include "core/memory/copy.h"

#include <c10/core/Device.h>

#include <vector>

namespace shardlens {

// The conversion of one collective's tensors to blocks on the hosted ranks' devices. If any buffer
// of a list is not contiguous or is on another device, the whole list is packed into one
// allocation. Owns that memory, and retains the tensors, until it is destroyed.
class Packing {
 public:
  // `devices[i]` is the device of the i-th hosted rank. All lists passed below are indexed alike.
  explicit Packing(std::vector<at::Device> devices) : devices_(std::move(devices)) {}

  // Return the blocks to send. An undefined buffer becomes an empty block.
  Blocks sent(const Buffers& buffers);
  BlockLists sent(const BufferLists& lists);
  // Return the blocks to receive into. The buffers must be defined. Packed outputs have their
  // values only after unpack().
  Blocks received(const Buffers& buffers);
  BlockLists received(const BufferLists& lists);
  // Queues the copies of packed outputs to their buffers.
  void unpack() const { copyAll(unpacked_); }

 private:
  Blocks sent(const Buffers& list, at::Device device);
  Blocks received(const Buffers& list, at::Device device);

  std::vector<at::Device> devices_;
  Buffers retained_;
  std::vector<Copy> unpacked_;
};

}  // namespace shardlens
