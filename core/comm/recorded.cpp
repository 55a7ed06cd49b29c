#include "core/comm/recorded.h"

#include "core/trace/journal.h"

#include <ATen/ATen.h>

namespace shardlens {

RecordedCommunicator::RecordedCommunicator(std::unique_ptr<Communicator> inner, Recorder& recorder)
    : inner_(std::move(inner)), recorder_(recorder) {}

template <class Inputs, class Call>
void RecordedCommunicator::record(std::string_view kind, const GroupSet& groups,
                                  const Inputs& inputs, Call call) {
  if (!recorder_.on()) return call();
  Event event;
  event.kind = EventKind::Collective;
  event.name = recorder_.intern(kind);
  event.ranks = recorder_.intern(ranksText(groups.groups));
  event.bytes = bytesOf(inputs);
  event.meshDim = static_cast<std::int8_t>(groups.meshDim);
  const Span span(recorder_, event);
  call();
}

void RecordedCommunicator::allReduce(const GroupSet& groups, const Buffers& buffers, ReduceOp op) {
  record("all_reduce", groups, buffers, [&] { inner_->allReduce(groups, buffers, op); });
}

void RecordedCommunicator::allGather(const GroupSet& groups, const Buffers& inputs,
                                     const BufferLists& into) {
  record("all_gather", groups, inputs, [&] { inner_->allGather(groups, inputs, into); });
}

void RecordedCommunicator::reduceScatter(const GroupSet& groups, const BufferLists& inputs,
                                         const Buffers& into, ReduceOp op) {
  record("reduce_scatter", groups, inputs,
         [&] { inner_->reduceScatter(groups, inputs, into, op); });
}

void RecordedCommunicator::allToAll(const GroupSet& groups, const BufferLists& inputs,
                                    const BufferLists& into) {
  record("all_to_all", groups, inputs, [&] { inner_->allToAll(groups, inputs, into); });
}

}  // namespace shardlens
