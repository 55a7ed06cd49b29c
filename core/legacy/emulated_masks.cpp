#include "core/legacy/emulated_masks.h"

#include "core/base/refusal.h"
#include "core/base/text.h"
#include "core/comm/refuse_together.h"

#include <ATen/ATen.h>
#include <fmt/core.h>

#include <algorithm>

namespace shardlens {
namespace {

template <class Policy>
std::unique_ptr<MaskPolicy> make(MaskRegistry& registry) {
  return std::make_unique<Policy>(registry);
}

// Returns true if the call masks ids for a pending result. DTensor uses one placement object for
// both.
bool masksIds(const OpSchema& call, const OpStrategy& strategy) {
  return std::any_of(strategy.outputs.begin(), strategy.outputs.end(), hasMask) &&
         std::none_of(call.inputs.begin(), call.inputs.end(),
                      [](const Spec& input) { return hasMask(input.placements); });
}

// Returns the first rank whose mask differs from the buffer's; one must differ.
int firstDiffering(const MaskRecord& entry, const Buffers& masks) {
  std::size_t i = 0;
  while (at::equal(masks[i], entry.buffer.data()[i])) ++i;
  return entry.ranks[i];
}

std::string holdersOf(const MaskRecord& entry) {
  return entry.holders.empty() ? "another holder" : joined(entry.holders);
}

}  // namespace

MakeMaskPolicy emulatedMaskPolicy(Emulation emulation) {
  switch (emulation) {
    case Emulation::None:
      break;
    case Emulation::Torch215:
      return make<Torch215Masks>;
    case Emulation::Before131264:
      return make<Before131264Masks>;
  }
  return nullptr;
}

MaskRecordPtr Torch215Masks::bufferFor(const OpSchema& call, const OpStrategy& strategy) {
  if (!masksIds(call, strategy)) return nullptr;
  return registry().add(MaskRecord::Owner::Cache, sharing());
}

MaskRecordPtr Torch215Masks::bufferIn(const MaskHold* hold) const {
  const bool isCaches = hold != nullptr && hold->buffer()->owner == MaskRecord::Owner::Cache;
  return isCaches ? hold->buffer() : nullptr;
}

std::shared_ptr<MaskHold> Torch215Masks::hold(const MaskPartial& placement, const Buffers& masks,
                                              Communicator& comm, const std::string& holder,
                                              const MaskRecordPtr& buffer) {
  if (buffer == nullptr) return registry().hold(placement, masks, comm, holder);
  std::string wrong;
  try {
    buffer->buffer.materialize(masks);
  } catch (const Refusal& refusal) {
    wrong = conflict(refusal.what(), *buffer, masks, holder);
  }
  refuseTogether(comm, wrong);
  auto held = std::make_shared<EmulatedHold>(buffer, registry().recorder());
  registry().begin(*held, placement, masks, comm.hosted(), holder);
  return held;
}

std::shared_ptr<MaskHold> Torch215Masks::resultHold(std::shared_ptr<MaskHold> ids,
                                                    const MaskRecordPtr& buffer) const {
  if (buffer == nullptr || buffer == ids->buffer()) return ids;
  return std::make_shared<EmulatedHold>(buffer, registry().recorder());
}

std::string Torch215Masks::conflict(const std::string& what, const MaskRecord& buffer,
                                    const Buffers& masks, const std::string& holder) const {
  return fmt::format("{}: got another mask for {} on rank {}, expected that of {}", what, holder,
                     firstDiffering(buffer, masks), holdersOf(buffer));
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

Spec Before131264Masks::knownTo(const PlanKey& key, Spec spec) const {
  if (key.buffer == nullptr) return spec;
  for (auto& placement : spec.placements) {
    auto* masked = std::get_if<MaskPartial>(&placement);
    if (masked == nullptr) continue;
    masked->offsetShape = {masked->offsetShape[static_cast<std::size_t>(masked->offsetDim)]};
    masked->offsetDim = 0;
  }
  return spec;
}

std::string Before131264Masks::knownBuffer(const MaskRecord& buffer) const {
  return buffer.buffer.refcount() > 0 ? "materialized" : "free";
}

std::string Before131264Masks::conflict(const std::string& what, const MaskRecord& buffer,
                                        const Buffers&, const std::string& holder) const {
  return fmt::format("{}: got a mask for {}, expected none while held by {}", what, holder,
                     holdersOf(buffer));
}

bool Before131264Masks::areAlike(const PlanKey& a, const PlanKey& b) const {
  return a.partialKind == b.partialKind && knownTo(a, a.from->spec) == knownTo(b, b.from->spec) &&
         knownTo(a, a.to->spec) == knownTo(b, b.to->spec);
}

std::shared_ptr<MaskHold> EmulatedHold::another() const {
  return std::make_shared<EmulatedHold>(buffer(), recorder());
}

}  // namespace shardlens
