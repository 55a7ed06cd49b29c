#pragma once

#include "core/comm/communicator.h"

namespace shardlens {

// The first of many ranks, with nobody at the other end: collectives leave what they fill as it is.
// For what the engine itself takes of one process, however large the mesh.
class LoneRank final : public Communicator {
 public:
  const std::vector<int>& hosted() const override { return hosted_; }
  std::unique_ptr<Communicator> over(const std::vector<int>&) const override {
    return std::make_unique<LoneRank>();
  }
  void allReduce(const GroupSet&, const Buffers&, const Buffers&, Reduction) override {}
  void allGather(const GroupSet&, const Buffers&, const BufferLists&) override {}
  void reduceScatter(const GroupSet&, const BufferLists&, const Buffers&, Reduction) override {}
  void allToAll(const GroupSet&, const BufferLists&, const BufferLists&) override {}
  void broadcast(const GroupSet&, int, const Buffers&, const Buffers&) override {}
  void scatter(const GroupSet&, int, const BufferLists&, const Buffers&) override {}
  std::vector<std::string> exchangeWords(const std::string& words) override { return {words}; }

 private:
  std::vector<int> hosted_ = {0};
};

}  // namespace shardlens
