#pragma once

#include "core/model/modes.h"
#include "core/ops/schema.h"
#include "core/tensor/caches/plan_cache.h"
#include "core/tensor/masking/mask_registry.h"

#include <memory>
#include <string>

namespace shardlens {

// Who owns mask buffers. The engine's belong to the tensors that hold them; emulations of older
// PyTorch have other owners, see Note [Buffers that caches keep] and Note [Keys of masks].
class MaskPolicy {
 public:
  static std::unique_ptr<MaskPolicy> make(Emulation emulation, MaskRegistry& registry);

  explicit MaskPolicy(MaskRegistry& registry) : registry_(registry) {}
  virtual ~MaskPolicy() = default;
  MaskPolicy(const MaskPolicy&) = delete;
  MaskPolicy& operator=(const MaskPolicy&) = delete;

  // The buffer that the strategy cache keeps with the answer to a call; null is none.
  virtual MaskRecordPtr bufferFor(const OpSchema& call, const OpStrategy& strategy);
  // The same for a plan from placements that hold a mask, or are held by nobody.
  virtual MaskRecordPtr bufferIn(const MaskHold* hold) const;

  // Whether anything counts as equal to placements with this buffer: else a question with them is
  // neither looked up nor remembered.
  virtual bool equalsOthers(const MaskRecordPtr& buffer) const;
  // The key that a plan is found under: the one asked for, or one that counts as equal. Refers to
  // the key, or to one in the cache.
  virtual const PlanKey& keyOf(const PlanCache& cache, const PlanKey& asked) const;

  // Holds masks of ids, in the buffer that their plan has where it has one.
  virtual std::shared_ptr<MaskHold> hold(const MaskPartial& placement, const Buffers& masks,
                                         Communicator& comm, const std::string& holder,
                                         const MaskRecordPtr& buffer);
  // The hold that a lookup's result has, given that of its ids and the buffer of its strategy.
  virtual std::shared_ptr<MaskHold> resultHold(std::shared_ptr<MaskHold> ids,
                                               const MaskRecordPtr& buffer) const;

 protected:
  MaskRegistry& registry() const { return registry_; }

 private:
  MaskRegistry& registry_;
};

}  // namespace shardlens
