#pragma once

#include "core/tensor/masking/mask_hold.h"

#include <memory>
#include <string>
#include <vector>

namespace shardlens {

// All live mask buffers of a runtime. Lookups of the same ids in tables cut alike share a buffer
// and count; other ids get a buffer of their own, so that masks of pending lookups cannot conflict.
// Whether ids are the same is for all processes to say: each has only the masks of its own ranks.
// One thread at a time may use a registry and the holds of its masks.
class MaskRegistry {
 public:
  explicit MaskRegistry(std::shared_ptr<Recorder> recorder) : recorder_(std::move(recorder)) {}

  std::shared_ptr<MaskHold> hold(const MaskPartial& placement, const Buffers& masks,
                                 Communicator& comm, const std::string& holder);

  // A buffer for a cache to keep, which takes masks whatever it holds, or refuses them in all
  // processes together. nameOf() it holds nothing yet.
  MaskRecordPtr add(Emulation emulation);
  std::shared_ptr<MaskHold> holdEmulated(const MaskRecordPtr& buffer, const MaskPartial& placement,
                                         const Buffers& masks, Communicator& comm,
                                         const std::string& holder);
  std::shared_ptr<MaskHold> nameOf(const MaskRecordPtr& buffer) const;

  // Those that have been materialized and may still be held.
  std::vector<MaskRecordPtr> materialized() const;

 private:
  MaskRecordPtr find(const MaskPartial& placement, const Buffers& masks, Communicator& comm) const;
  // The buffer has just taken the masks.
  void begin(MaskHold& hold, const MaskPartial& placement, const Buffers& masks,
             const std::vector<int>& ranks, const std::string& holder) const;

  std::shared_ptr<Recorder> recorder_;
  std::vector<std::weak_ptr<MaskRecord>> live_;
};

}  // namespace shardlens
