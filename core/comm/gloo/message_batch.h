#pragma once

#include "core/cluster/processes.h"
#include "core/comm/communicator.h"
#include "core/memory/copy.h"

#include <ATen/ATen.h>

namespace shardlens {

// Nothing is sent, and both sides know it.
inline bool nothing(const at::Tensor& buffer) { return !buffer.defined() || buffer.numel() == 0; }

// The messages of one collective, and the copies between ranks of this process.
class MessageBatch {
 public:
  void keep(const at::Tensor& from, const at::Tensor& into) {
    if (!nothing(into) && !into.is_same(from)) local_.push_back({{into}, from});
  }

  void send(int sender, int receiver, int process, const at::Tensor& from) {
    if (!nothing(from)) outgoing_.push_back({sender, receiver, process, from.contiguous()});
  }

  void receive(int sender, int receiver, int process, const at::Tensor& into) {
    if (nothing(into)) return;
    const bool direct = into.is_contiguous();
    auto buffer = direct ? into : at::empty(into.sizes(), into.options());
    if (!direct) unpacked_.push_back({{into}, buffer});
    incoming_.push_back({sender, receiver, process, std::move(buffer)});
  }

  void exchange(Processes& processes, const Purpose& purpose) {
    processes.exchange(purpose, std::move(outgoing_), std::move(incoming_),
                       [&] { copyAll(local_); });
    copyAll(unpacked_);
  }

 private:
  std::vector<Message> outgoing_, incoming_;
  std::vector<Copy> local_, unpacked_;
};

// Buffers that are sent more than once: packed once, when first asked for.
class Packed {
 public:
  explicit Packed(const Buffers& buffers) : buffers_(buffers), packed_(buffers.size()) {}
  const at::Tensor& operator()(std::size_t i, std::size_t) {
    if (!packed_[i].defined()) packed_[i] = buffers_[i].contiguous();
    return packed_[i];
  }

 private:
  const Buffers& buffers_;
  Buffers packed_;
};

}  // namespace shardlens
