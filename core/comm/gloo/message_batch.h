#pragma once

#include "core/cluster/processes.h"
#include "core/comm/communicator.h"
#include "core/memory/copy.h"

#include <ATen/ATen.h>

namespace shardlens {

// Returns true if the buffer is undefined or empty. Both ends then skip the message.
inline bool nothing(const at::Tensor& buffer) { return !buffer.defined() || buffer.numel() == 0; }

// The messages of one collective, and the copies between ranks of this process.
class MessageBatch {
 public:
  // Queues a copy between two hosted ranks, unless both buffers are one tensor.
  void keep(const at::Tensor& from, const at::Tensor& into) {
    if (!nothing(into) && !into.is_same(from)) local_.push_back({{into}, from});
  }

  // Queues a message; a non-contiguous buffer is packed now.
  void send(int sender, int receiver, int process, const at::Tensor& from) {
    if (!nothing(from)) outgoing_.push_back({sender, receiver, process, from.contiguous()});
  }

  // Queues a receive; a non-contiguous buffer is filled through a temporary one.
  void receive(int sender, int receiver, int process, const at::Tensor& into) {
    if (nothing(into)) return;
    const bool direct = into.is_contiguous();
    auto buffer = direct ? into : at::empty(into.sizes(), into.options());
    if (!direct) unpacked_.push_back({{into}, buffer});
    incoming_.push_back({sender, receiver, process, std::move(buffer)});
  }

  // Sends and receives all queued messages, makes the local copies meanwhile, and then unpacks.
  // Call once. Throws RankLost; outputs are then partly written.
  void exchange(Processes& processes, const Purpose& purpose) {
    processes.exchange(purpose, std::move(outgoing_), std::move(incoming_),
                       [&] { copyAll(local_); });
    copyAll(unpacked_);
  }

 private:
  std::vector<Message> outgoing_, incoming_;
  std::vector<Copy> local_, unpacked_;
};

// Buffers that are each sent to several receivers; packs a buffer on first use. Keeps a reference
// to the buffers.
class Packed {
 public:
  explicit Packed(const Buffers& buffers) : buffers_(buffers), packed_(buffers.size()) {}
  // Returns buffer i as a contiguous tensor. The second argument, the receiver, is ignored.
  const at::Tensor& operator()(std::size_t i, std::size_t) {
    if (!packed_[i].defined()) packed_[i] = buffers_[i].contiguous();
    return packed_[i];
  }

 private:
  const Buffers& buffers_;
  Buffers packed_;
};

}  // namespace shardlens
