#pragma once

#include "core/tensor/masking/mask_policy.h"

namespace shardlens {

// Note [Buffers that caches keep]
// DTensor stores the buffer in the placement, and its strategy cache stores placements. All lookups
// of the same shapes therefore use one buffer. Under emulation a buffer belongs to an entry of the
// strategy cache, and a hold only refers to it. A result that is dropped without being reduced
// stays counted. A result that was reduced can be reduced again: the second reduction reads and
// releases the buffer in its state at that time.

// Note [Keys of masks]
// The part of a masked placement that is in the key of the plan cache, besides the reduce op.
// The engine: the table's shape, and the dimension that ids count along.
// DTensor 2.15: these and the buffer, which is part of the placement.
// Before pull request 131264: the size of that dimension only. Tables of equal height and other
// width therefore share plans, and with them buffers. A placement whose buffer is materialised
// equals no other.

// Emulates the buffers of PyTorch 2.15.
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

// Emulates the buffers of PyTorch before pull request 131264.
class Before131264Masks final : public Torch215Masks {
 public:
  explicit Before131264Masks(MaskRegistry& registry)
      : Torch215Masks(registry, Emulation::Before131264) {}

  bool equalsOthers(const MaskRecordPtr& buffer) const override;
  // Returns the oldest cached key among those that count as equal.
  const PlanKey& keyOf(const PlanCache& cache, const PlanKey& key) const override;
};

// Return a placement and its buffer as far as the key distinguishes them, for the recording.
Spec knownTo(const PlanKey& key, Spec spec);
std::string knownBuffer(const MaskRecord& buffer);

}  // namespace shardlens
