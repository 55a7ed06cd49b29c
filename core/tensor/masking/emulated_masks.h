#pragma once

#include "core/tensor/masking/mask_policy.h"

namespace shardlens {

// Note [Buffers that caches keep]
// DTensor keeps the buffer in the placement, and its strategy cache remembers placements: all
// lookups of the same shapes find the same buffer there. Where that is emulated, a buffer belongs
// to a remembered strategy, and a hold on it is only a name. A result that is dropped without being
// reduced stays counted, and so does one that was reduced before: a second reduction reads and
// releases the buffer as it is then.

// Note [Keys of masks]
// What a plan cache knows of a placement of masks, besides how it reduces. The engine: the table's
// shape, and the dimension that ids count along. DTensor 2.15: its buffer too, as it is in the
// placement. Before pull request 131264: the size of that dimension alone, so that tables of equal
// height and another width find one another's plans, and in them one another's buffers; but while a
// buffer is materialized, its placement equals no other.

// The buffers of PyTorch 2.15.
class Torch215Masks : public MaskPolicy {
 public:
  explicit Torch215Masks(MaskRegistry& registry, Emulation emulation = Emulation::Torch215)
      : MaskPolicy(registry), emulation_(emulation) {}

  MaskRecordPtr bufferFor(const OpSchema& call, const OpStrategy& strategy) final;
  MaskRecordPtr bufferIn(const MaskHold* hold) const final;
  std::shared_ptr<MaskHold> hold(const MaskPartial& placement, const Buffers& masks,
                                 Communicator& comm, const std::string& holder,
                                 const MaskRecordPtr& buffer) final;
  std::shared_ptr<MaskHold> resultHold(std::shared_ptr<MaskHold> ids,
                                       const MaskRecordPtr& buffer) const final;

 private:
  Emulation emulation_;
};

// Those before pull request 131264.
class Before131264Masks final : public Torch215Masks {
 public:
  explicit Before131264Masks(MaskRegistry& registry)
      : Torch215Masks(registry, Emulation::Before131264) {}

  bool equalsOthers(const MaskRecordPtr& buffer) const override;
  // Of several that count as equal, the eldest.
  const PlanKey& keyOf(const PlanCache& cache, const PlanKey& asked) const override;
};

// A placement, and its buffer, as far as the key knows them.
Spec knownTo(const PlanKey& key, Spec spec);
std::string knownBuffer(const MaskRecord& buffer);

}  // namespace shardlens
