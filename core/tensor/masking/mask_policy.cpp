#include "core/tensor/masking/mask_policy.h"

#include "core/tensor/masking/emulated_masks.h"

namespace shardlens {

std::unique_ptr<MaskPolicy> MaskPolicy::make(Emulation emulation, MaskRegistry& registry) {
  switch (emulation) {
    case Emulation::None:
      break;
    case Emulation::Torch215:
      return std::make_unique<Torch215Masks>(registry);
    case Emulation::Before131264:
      return std::make_unique<Before131264Masks>(registry);
  }
  return std::make_unique<MaskPolicy>(registry);
}

MaskRecordPtr MaskPolicy::bufferFor(const OpSchema&, const OpStrategy&) { return nullptr; }

MaskRecordPtr MaskPolicy::bufferIn(const MaskHold*) const { return nullptr; }

bool MaskPolicy::equalsOthers(const MaskRecordPtr&) const { return true; }

const PlanKey& MaskPolicy::keyOf(const PlanCache&, const PlanKey& key) const { return key; }

std::shared_ptr<MaskHold> MaskPolicy::hold(const MaskPartial& placement, const Buffers& masks,
                                           Communicator& comm, const std::string& holder,
                                           const MaskRecordPtr&) {
  return registry_.hold(placement, masks, comm, holder);
}

std::shared_ptr<MaskHold> MaskPolicy::resultHold(std::shared_ptr<MaskHold> ids,
                                                 const MaskRecordPtr&) const {
  return ids;
}

}  // namespace shardlens
