#include "core/comm/recorded.h"

#include "core/base/refusal.h"
#include "core/comm/device_span.h"
#include "core/model/ranks_text.h"
#include "core/trace/recorder/event_makers.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace shardlens {
namespace {

Event collectiveEvent(Recorder& recorder, std::string_view kind, const GroupSet& groups,
                      std::int64_t bytes, const std::string& why, std::optional<int> root) {
  if (!recorder.on()) return {};
  return makeCollective(recorder, kind, ranksText(groups.groups), groups.meshDim, bytes,
                        {.axis = groups.axis, .why = why, .root = root});
}

bool isMeta(const at::Tensor& tensor) { return tensor.is_meta(); }
bool isMeta(const Buffers& list) {
  return std::any_of(list.begin(), list.end(), [](const auto& each) { return each.is_meta(); });
}

}  // namespace

RecordedCommunicator::RecordedCommunicator(std::unique_ptr<Communicator> inner, Recorder& recorder)
    : inner_(std::move(inner)), recorder_(recorder) {}

template <class Inputs, class Call>
void RecordedCommunicator::record(std::string_view kind, const GroupSet& groups,
                                  const Inputs& inputs, Call call, const std::string& why,
                                  std::optional<int> root) {
  if (deviceType() != at::kMeta &&
      std::any_of(inputs.begin(), inputs.end(), [](const auto& input) { return isMeta(input); })) {
    throw Refusal(std::string(kind) +
                  ": got a tensor on the device meta, expected one with values");
  }
  const std::int64_t bytes = bytesOf(inputs);
  auto& counted = recorder_.collectives(kind);
  ++counted.count;
  counted.bytes += bytes;
  recorder_.beginCollective(kind);
  const std::int64_t begun = recorder_.now();
  const DeviceSpan span(recorder_, *inner_,
                        collectiveEvent(recorder_, kind, groups, bytes, why, root));
  call();
  counted.nanoseconds += recorder_.now() - begun;
}

std::unique_ptr<Communicator> RecordedCommunicator::over(const std::vector<int>& ranks) const {
  return std::make_unique<RecordedCommunicator>(inner_->over(ranks), recorder_);
}

void RecordedCommunicator::allReduce(const GroupSet& groups, const Buffers& inputs,
                                     const Buffers& into, Reduction reduction) {
  record("all_reduce", groups, inputs, [&] { inner_->allReduce(groups, inputs, into, reduction); });
}

void RecordedCommunicator::allGather(const GroupSet& groups, const Buffers& inputs,
                                     const BufferLists& into) {
  record("all_gather", groups, inputs, [&] { inner_->allGather(groups, inputs, into); });
}

void RecordedCommunicator::reduceScatter(const GroupSet& groups, const BufferLists& inputs,
                                         const Buffers& into, Reduction reduction) {
  record("reduce_scatter", groups, inputs,
         [&] { inner_->reduceScatter(groups, inputs, into, reduction); });
}

void RecordedCommunicator::allToAll(const GroupSet& groups, const BufferLists& inputs,
                                    const BufferLists& into) {
  record("all_to_all", groups, inputs, [&] { inner_->allToAll(groups, inputs, into); });
}

void RecordedCommunicator::haloExchange(const GroupSet& groups, const BufferLists& inputs,
                                        const BufferLists& into, const std::string& why) {
  record(
      "halo_exchange", groups, inputs, [&] { inner_->haloExchange(groups, inputs, into, why); },
      why);
}

void RecordedCommunicator::broadcast(const GroupSet& groups, int root, const Buffers& inputs,
                                     const Buffers& into) {
  record(
      "broadcast", groups, inputs, [&] { inner_->broadcast(groups, root, inputs, into); }, {},
      root);
}

void RecordedCommunicator::scatter(const GroupSet& groups, int root, const BufferLists& inputs,
                                   const Buffers& into) {
  record(
      "scatter", groups, inputs, [&] { inner_->scatter(groups, root, inputs, into); }, {}, root);
}

}  // namespace shardlens
