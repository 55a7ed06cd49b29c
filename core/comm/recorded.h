#pragma once

#include "core/comm/communicator.h"
#include "core/trace/recorder.h"

#include <memory>

namespace shardlens {

// Passes every collective on to another communicator and makes it an event that lasts as long as
// the collective does: one that never returns is seen running.
class RecordedCommunicator final : public Communicator {
 public:
  RecordedCommunicator(std::unique_ptr<Communicator> inner, Recorder& recorder);

  const std::vector<int>& hosted() const override { return inner_->hosted(); }
  void allReduce(const GroupSet& groups, const Buffers& buffers, ReduceOp op) override;
  void allGather(const GroupSet& groups, const Buffers& inputs, const BufferLists& into) override;
  void reduceScatter(const GroupSet& groups, const BufferLists& inputs, const Buffers& into,
                     ReduceOp op) override;
  void allToAll(const GroupSet& groups, const BufferLists& inputs,
                const BufferLists& into) override;

 private:
  template <class Inputs, class Call>
  void record(std::string_view kind, const GroupSet& groups, const Inputs& inputs, Call call);

  std::unique_ptr<Communicator> inner_;
  Recorder& recorder_;
};

}  // namespace shardlens
