#pragma once

#include "core/comm/communicator.h"

#include <utility>

namespace shardlens {

// A communicator that forwards collectives to another one; tests override single functions. It does
// not forward makeNextAsync() and wait(), so that all collectives are synchronous, and forwards a
// halo exchange as allToAll().
class Forwarding : public Communicator {
 public:
  explicit Forwarding(std::unique_ptr<Communicator> inner) : inner_(std::move(inner)) {}

  const std::vector<int>& hosted() const override { return inner_->hosted(); }
  at::Device device(int rank) const override { return inner_->device(rank); }
  bool isAlone() const override { return inner_->isAlone(); }
  at::DeviceType deviceType() const override { return inner_->deviceType(); }
  std::unique_ptr<Communicator> over(const std::vector<int>& ranks) const override {
    return inner_->over(ranks);
  }
  void allReduce(const GroupSet& groups, const Buffers& inputs, const Buffers& into,
                 Reduction reduction) override {
    inner_->allReduce(groups, inputs, into, reduction);
  }
  void allGather(const GroupSet& groups, const Buffers& inputs, const BufferLists& into) override {
    inner_->allGather(groups, inputs, into);
  }
  void reduceScatter(const GroupSet& groups, const BufferLists& inputs, const Buffers& into,
                     Reduction reduction) override {
    inner_->reduceScatter(groups, inputs, into, reduction);
  }
  void allToAll(const GroupSet& groups, const BufferLists& inputs,
                const BufferLists& into) override {
    inner_->allToAll(groups, inputs, into);
  }
  void broadcast(const GroupSet& groups, int root, const Buffers& inputs,
                 const Buffers& into) override {
    inner_->broadcast(groups, root, inputs, into);
  }
  void scatter(const GroupSet& groups, int root, const BufferLists& inputs,
               const Buffers& into) override {
    inner_->scatter(groups, root, inputs, into);
  }
  std::vector<std::string> allGatherStrings(const std::string& words) override {
    return inner_->allGatherStrings(words);
  }

 protected:
  Communicator& inner() const { return *inner_; }

 private:
  std::unique_ptr<Communicator> inner_;
};

}  // namespace shardlens
