#pragma once

#include "core/model/modes.h"
#include "core/tensor/masking/mask_policy.h"
#include "core/tensor/runtime_options.h"

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

// Returns the function that creates the mask policy of an emulation; null for None.
MakeMaskPolicy emulatedMaskPolicy(Emulation emulation);

// Emulates the buffers of PyTorch 2.15. Overrides are documented in MaskPolicy.
class Torch215Masks : public MaskPolicy {
 public:
  using MaskPolicy::MaskPolicy;

  MaskRecordPtr bufferFor(const OpSchema& call, const OpStrategy& strategy) final;
  MaskRecordPtr bufferIn(const MaskHold* hold) const final;
  // Throws Refusal in all processes if the masks of one conflict with the buffer's.
  std::shared_ptr<MaskHold> hold(const MaskPartial& placement, const Buffers& masks,
                                 Communicator& comm, const std::string& holder,
                                 const MaskRecordPtr& buffer) final;
  // Returns a hold that does not change the buffer's count, if the buffer is not that of the ids.
  std::shared_ptr<MaskHold> resultHold(std::shared_ptr<MaskHold> ids,
                                       const MaskRecordPtr& buffer) const final;

 protected:
  // Returns the sharing of a new buffer.
  virtual Sharing sharing() const { return Sharing::Counted; }
  // Returns why a buffer refuses a holder: `what` with the holders, and the rank whose masks
  // differ.
  virtual std::string conflict(const std::string& what, const MaskRecord& buffer,
                               const Buffers& masks, const std::string& holder) const;
};

// Emulates the buffers of PyTorch before pull request 131264.
class Before131264Masks final : public Torch215Masks {
 public:
  using Torch215Masks::Torch215Masks;

  bool equalsOthers(const MaskRecordPtr& buffer) const override;
  // Returns the oldest cached key among those that count as equal.
  const PlanKey& keyOf(const PlanCache& cache, const PlanKey& key) const override;
  Spec knownTo(const PlanKey& key, Spec spec) const override;
  std::string knownBuffer(const MaskRecord& buffer) const override;

 private:
  Sharing sharing() const override { return Sharing::None; }
  std::string conflict(const std::string& what, const MaskRecord& buffer, const Buffers& masks,
                       const std::string& holder) const override;
  bool areAlike(const PlanKey& a, const PlanKey& b) const;
};

// A hold on a buffer that a cache owns. Applies or releases the buffer at every call; its
// destructor releases nothing.
class EmulatedHold final : public MaskHold {
 public:
  using MaskHold::MaskHold;
  ~EmulatedHold() override { keepBuffer(); }

  void apply(const Buffers& locals, TensorId tensor) override { applyBuffer(locals, tensor); }
  void release() override { releaseBuffer(); }
  Buffers masked(const Buffers& locals) const override { return maskedCopies(locals); }

 private:
  std::shared_ptr<MaskHold> another() const override;
};

}  // namespace shardlens
