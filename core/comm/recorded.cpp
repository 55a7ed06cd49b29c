#include "core/comm/recorded.h"

#include "core/base/refusal.h"
#include "core/comm/device_span.h"
#include "core/model/ranks_text.h"
#include "core/trace/events/event_names.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace shardlens {
namespace {

bool isMeta(const at::Tensor& tensor) { return tensor.is_meta(); }
bool isMeta(const Buffers& list) {
  return std::any_of(list.begin(), list.end(), [](const auto& each) { return each.is_meta(); });
}

}  // namespace

RecordedCommunicator::RecordedCommunicator(std::unique_ptr<Communicator> inner, Recorder& recorder)
    : inner_(std::move(inner)), recorder_(recorder) {}

template <class Inputs, class Call>
void RecordedCommunicator::record(CollectiveKind kind, const GroupSet& groups, const Inputs& inputs,
                                  Call call, const std::string& why, std::optional<int> root) {
  if (deviceType() != at::kMeta &&
      std::any_of(inputs.begin(), inputs.end(), [](const auto& input) { return isMeta(input); })) {
    throw Refusal(std::string(collectiveName(kind)) +
                  ": got a tensor on the device meta, expected one with values");
  }
  const std::int64_t bytes = bytesOf(inputs);
  auto& counted = recorder_.collectives(kind);
  ++counted.count;
  counted.bytes += bytes;
  recorder_.beginCollective(kind);
  const std::int64_t begun = recorder_.now();
  Event event;
  if (recorder_.on()) {
    event = makeCollective(recorder_, kind, textsOf(groups, why, root), groups.meshDim, bytes);
  }
  const DeviceSpan span(recorder_, *inner_, event);
  call();
  counted.nanoseconds += recorder_.now() - begun;
}

CollectiveTexts RecordedCommunicator::textsOf(const GroupSet& groups, const std::string& why,
                                              std::optional<int> root) {
  const auto made = [&] {
    return collectiveTexts(recorder_, ranksText(groups.groups),
                           {.axis = groups.axis, .why = why, .root = root});
  };
  if (!why.empty() || root) return made();
  const std::uint32_t recording = recorder_.recording();
  for (const Known& known : known_) {
    if (known.recording == recording && known.groups == groups) return known.texts;
  }
  if (known_.size() == kMostKnown) known_.pop_back();
  return known_.emplace_front(Known{groups, recording, made()}).texts;
}

std::unique_ptr<Communicator> RecordedCommunicator::over(const std::vector<int>& ranks) const {
  return std::make_unique<RecordedCommunicator>(inner_->over(ranks), recorder_);
}

void RecordedCommunicator::allReduce(const GroupSet& groups, const Buffers& inputs,
                                     const Buffers& into, Reduction reduction) {
  record(CollectiveKind::AllReduce, groups, inputs,
         [&] { inner_->allReduce(groups, inputs, into, reduction); });
}

void RecordedCommunicator::allGather(const GroupSet& groups, const Buffers& inputs,
                                     const BufferLists& into) {
  record(CollectiveKind::AllGather, groups, inputs,
         [&] { inner_->allGather(groups, inputs, into); });
}

void RecordedCommunicator::reduceScatter(const GroupSet& groups, const BufferLists& inputs,
                                         const Buffers& into, Reduction reduction) {
  record(CollectiveKind::ReduceScatter, groups, inputs,
         [&] { inner_->reduceScatter(groups, inputs, into, reduction); });
}

void RecordedCommunicator::allToAll(const GroupSet& groups, const BufferLists& inputs,
                                    const BufferLists& into) {
  record(CollectiveKind::AllToAll, groups, inputs, [&] { inner_->allToAll(groups, inputs, into); });
}

void RecordedCommunicator::haloExchange(const GroupSet& groups, const BufferLists& inputs,
                                        const BufferLists& into, const std::string& why) {
  record(
      CollectiveKind::HaloExchange, groups, inputs,
      [&] { inner_->haloExchange(groups, inputs, into, why); }, why);
}

void RecordedCommunicator::broadcast(const GroupSet& groups, int root, const Buffers& inputs,
                                     const Buffers& into) {
  record(
      CollectiveKind::Broadcast, groups, inputs,
      [&] { inner_->broadcast(groups, root, inputs, into); }, {}, root);
}

void RecordedCommunicator::scatter(const GroupSet& groups, int root, const BufferLists& inputs,
                                   const Buffers& into) {
  record(
      CollectiveKind::Scatter, groups, inputs, [&] { inner_->scatter(groups, root, inputs, into); },
      {}, root);
}

}  // namespace shardlens
