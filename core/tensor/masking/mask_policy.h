#pragma once

#include "core/ops/schema.h"
#include "core/tensor/caches/plan_cache.h"
#include "core/tensor/masking/mask_registry.h"

#include <memory>
#include <string>

namespace shardlens {

// Decides who owns mask buffers and how caches compare placements with masks. This class implements
// the engine's rules: tensors own the buffers. Subclasses in core/legacy reproduce versions of
// PyTorch.
class MaskPolicy {
 public:
  explicit MaskPolicy(MaskRegistry& registry) : registry_(registry) {}
  virtual ~MaskPolicy() = default;
  MaskPolicy(const MaskPolicy&) = delete;
  MaskPolicy& operator=(const MaskPolicy&) = delete;

  // Returns the buffer that the strategy cache stores with this call, or null if there is none.
  // This class has none.
  virtual MaskRecordPtr bufferFor(const OpSchema& call, const OpStrategy& strategy);
  // Returns the buffer in the key of a plan for a tensor with this hold, or null. `hold` may be
  // null. This class has none.
  virtual MaskRecordPtr bufferIn(const MaskHold* hold) const;

  // Returns false if placements with this buffer equal no other placements. Such a call or plan is
  // neither looked up nor cached. True in this class.
  virtual bool equalsOthers(const MaskRecordPtr& buffer) const;
  // Returns the key to look a plan up with: `key`, or a key in the cache that counts as equal.
  // The reference is to the argument or to the cache entry.
  virtual const PlanKey& keyOf(const PlanCache& cache, const PlanKey& key) const;

  // Return a placement and the buffer of a plan's key as far as the key distinguishes them, for the
  // recording.
  virtual Spec knownTo(const PlanKey& key, Spec spec) const;
  virtual std::string knownBuffer(const MaskRecord& buffer) const;

  // Returns a hold on masks of ids, in `buffer` if the plan has one. Collective.
  virtual std::shared_ptr<MaskHold> hold(const MaskPartial& placement, const Buffers& masks,
                                         Communicator& comm, const std::string& holder,
                                         const MaskRecordPtr& buffer);
  // Returns the hold of a lookup's result, given the hold of its ids and the strategy's buffer. In
  // this class: `ids`.
  virtual std::shared_ptr<MaskHold> resultHold(std::shared_ptr<MaskHold> ids,
                                               const MaskRecordPtr& buffer) const;

 protected:
  MaskRegistry& registry() const { return registry_; }

 private:
  MaskRegistry& registry_;
};

}  // namespace shardlens
