#pragma once

#include "core/tensor/masking/mask_hold.h"

#include <memory>
#include <string>
#include <vector>

namespace shardlens {

// The live mask buffers of a runtime. Lookups of the same ids in tables with the same sharding
// share a buffer; other ids get another buffer, so masks of pending lookups cannot conflict. All
// processes agree on whether ids are the same, because each has the masks of its own ranks only.
// Not thread-safe: one thread at a time may use a registry and its holds.
class MaskRegistry {
 public:
  explicit MaskRegistry(std::shared_ptr<Recorder> recorder) : recorder_(std::move(recorder)) {}

  // Returns a hold on a live buffer with these masks in every process, or on a new one. Collective.
  std::shared_ptr<MaskHold> hold(const MaskPartial& placement, const Buffers& masks,
                                 Communicator& comm, const std::string& holder);

  // For mask policies. Creates an empty buffer with a new id. hold() never returns a hold on a
  // buffer that a cache owns.
  MaskRecordPtr add(MaskRecord::Owner owner, Sharing sharing);
  // For mask policies. Records a hold that has just materialised its buffer. The first one also
  // records the masks.
  void begin(MaskHold& hold, const MaskPartial& placement, const Buffers& masks,
             const std::vector<int>& ranks, const std::string& holder) const;
  const std::shared_ptr<Recorder>& recorder() const { return recorder_; }

  // Returns the live buffers that were ever materialised, in the order of creation.
  std::vector<MaskRecordPtr> materialized() const;

 private:
  MaskRecordPtr find(const MaskPartial& placement, const Buffers& masks, Communicator& comm) const;

  std::shared_ptr<Recorder> recorder_;
  std::vector<std::weak_ptr<MaskRecord>> live_;
};

}  // namespace shardlens
