#include "core/tensor/masking/emulated_masks.h"

#include <algorithm>

namespace shardlens {
namespace {

bool isOld(const MaskRecordPtr& buffer) {
  return buffer != nullptr && buffer->emulation == Emulation::Before131264;
}

bool areAlike(const PlanKey& a, const PlanKey& b) {
  return a.partialKind == b.partialKind && knownTo(a, a.from->spec) == knownTo(b, b.from->spec) &&
         knownTo(a, a.to->spec) == knownTo(b, b.to->spec);
}

// Returns true if the call masks ids for a pending result. DTensor uses one placement object for
// both.
bool masksIds(const OpSchema& call, const OpStrategy& strategy) {
  return std::any_of(strategy.outputs.begin(), strategy.outputs.end(), hasMask) &&
         std::none_of(call.inputs.begin(), call.inputs.end(),
                      [](const Spec& input) { return hasMask(input.placements); });
}

}  // namespace

MaskRecordPtr Torch215Masks::bufferFor(const OpSchema& call, const OpStrategy& strategy) {
  return masksIds(call, strategy) ? registry().add(emulation_) : nullptr;
}

MaskRecordPtr Torch215Masks::bufferIn(const MaskHold* hold) const {
  return hold == nullptr || !hold->buffer()->isEmulated() ? nullptr : hold->buffer();
}

bool Before131264Masks::equalsOthers(const MaskRecordPtr& buffer) const {
  return buffer == nullptr || buffer->buffer.refcount() == 0;
}

const PlanKey& Before131264Masks::keyOf(const PlanCache& cache, const PlanKey& key) const {
  if (key.buffer == nullptr) return key;
  const PlanKey* eldest = &key;
  std::uint64_t born = 0;
  cache.visit([&](const auto& entry) {
    const PlanKey& other = entry.key;
    const bool isCandidate = other.buffer != nullptr && equalsOthers(other.buffer);
    if (!isCandidate || !areAlike(key, other)) return true;
    if (eldest == &key || entry.born < born) {
      born = entry.born;
      eldest = &other;
    }
    return true;
  });
  return *eldest;
}

std::shared_ptr<MaskHold> Torch215Masks::hold(const MaskPartial& placement, const Buffers& masks,
                                              Communicator& comm, const std::string& holder,
                                              const MaskRecordPtr& buffer) {
  if (buffer == nullptr) return registry().hold(placement, masks, comm, holder);
  return registry().holdEmulated(buffer, placement, masks, comm, holder);
}

std::shared_ptr<MaskHold> Torch215Masks::resultHold(std::shared_ptr<MaskHold> ids,
                                                    const MaskRecordPtr& buffer) const {
  return buffer == nullptr || buffer == ids->buffer() ? ids : registry().nameOf(buffer);
}

Spec knownTo(const PlanKey& key, Spec spec) {
  if (!isOld(key.buffer)) return spec;
  for (auto& placement : spec.placements) {
    auto* masked = std::get_if<MaskPartial>(&placement);
    if (masked == nullptr) continue;
    masked->offsetShape = {masked->offsetShape[static_cast<std::size_t>(masked->offsetDim)]};
    masked->offsetDim = 0;
  }
  return spec;
}

std::string knownBuffer(const MaskRecord& buffer) {
  if (buffer.emulation == Emulation::Torch215) return "#" + std::to_string(buffer.id);
  return buffer.buffer.refcount() > 0 ? "materialized" : "free";
}

}  // namespace shardlens
