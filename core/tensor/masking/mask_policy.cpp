#include "core/tensor/masking/mask_policy.h"

namespace shardlens {

MaskRecordPtr MaskPolicy::bufferFor(const OpSchema&, const OpStrategy&) { return nullptr; }

MaskRecordPtr MaskPolicy::bufferIn(const MaskHold*) const { return nullptr; }

bool MaskPolicy::equalsOthers(const MaskRecordPtr&) const { return true; }

const PlanKey& MaskPolicy::keyOf(const PlanCache&, const PlanKey& key) const { return key; }

Spec MaskPolicy::knownTo(const PlanKey&, Spec spec) const { return spec; }

std::string MaskPolicy::knownBuffer(const MaskRecord& buffer) const {
  return "#" + std::to_string(buffer.id);
}

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
