#include "core/comm/nccl/packing.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace shardlens {
namespace {

// Returns an alias of the tensor's memory that bypasses copy-on-write: a write reaches this memory
// even if other tensors lazily share it by then.
at::Tensor memoryOf(const at::Tensor& tensor) {
  return at::for_blob(tensor.mutable_data_ptr(), tensor.sizes())
      .strides(tensor.strides())
      .options(tensor.options())
      .target_device(tensor.device())
      .make_tensor();
}

bool areReady(const Buffers& list, at::Device device) {
  return std::all_of(list.begin(), list.end(), [&](const at::Tensor& buffer) {
    return buffer.device() == device && buffer.is_contiguous() && !buffer.is_conj() &&
           !buffer.is_neg();
  });
}

// Allocates one contiguous buffer and returns views of it in the shapes of the list.
Buffers allocateLike(const Buffers& list, at::Device device) {
  std::int64_t items = 0;
  for (const auto& buffer : list) items += buffer.numel();
  const auto whole = at::empty({items}, list.front().options().device(device));
  Buffers parts;
  std::int64_t begin = 0;
  for (const auto& buffer : list) {
    parts.push_back(whole.narrow(0, begin, buffer.numel()).view(buffer.sizes()));
    begin += buffer.numel();
  }
  return parts;
}

DeviceBlock blockOf(const at::Tensor& tensor, const void* data) {
  return {const_cast<void*>(data), static_cast<std::int64_t>(tensor.nbytes())};
}

}  // namespace

Blocks Packing::sent(const Buffers& buffers) {
  Blocks blocks;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    blocks.push_back(buffers[i].defined() ? sent({buffers[i]}, devices_[i]).front()
                                          : DeviceBlock{});
  }
  return blocks;
}

BlockLists Packing::sent(const BufferLists& lists) {
  BlockLists all;
  for (std::size_t i = 0; i < lists.size(); ++i) all.push_back(sent(lists[i], devices_[i]));
  return all;
}

Blocks Packing::received(const Buffers& buffers) {
  Blocks blocks;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    blocks.push_back(received({buffers[i]}, devices_[i]).front());
  }
  return blocks;
}

BlockLists Packing::received(const BufferLists& lists) {
  BlockLists all;
  for (std::size_t i = 0; i < lists.size(); ++i) all.push_back(received(lists[i], devices_[i]));
  return all;
}

Blocks Packing::sent(const Buffers& list, at::Device device) {
  const bool ready = areReady(list, device);
  const Buffers parts = ready ? list : allocateLike(list, device);
  std::vector<Copy> copies;
  Blocks blocks;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!ready) copies.push_back({{parts[i]}, list[i]});
    retained_.push_back(parts[i]);
  }
  copyAll(copies);
  for (const auto& part : parts) blocks.push_back(blockOf(part, part.const_data_ptr()));
  return blocks;
}

Blocks Packing::received(const Buffers& list, at::Device device) {
  const bool ready = areReady(list, device);
  const Buffers parts = ready ? list : allocateLike(list, device);
  Blocks blocks;
  for (std::size_t i = 0; i < list.size(); ++i) {
    retained_.push_back(parts[i]);
    blocks.push_back(blockOf(parts[i], parts[i].mutable_data_ptr()));
    if (ready) continue;
    retained_.push_back(list[i]);
    unpacked_.push_back({{memoryOf(list[i])}, parts[i]});
  }
  return blocks;
}

}  // namespace shardlens
