#pragma once

#include "core/comm/communicator.h"

namespace shardlens {

// Note [The mask is the tensor's]
// A MaskPartial placement is a pure value that caches may keep. The ids that a rank does not own
// are not part of it. They belong to the pending tensors of one lookup, which share a MaskBuffer;
// the buffer keeps its masks as long as one of these tensors needs them.

// Whether a buffer can have several holders. With None it has at most one, as in PyTorch's first
// version.
enum class Sharing : std::uint8_t { Counted, None };

// The masks of the hosted ranks, with a count of holders. All holders have the same masks. Each
// calls release() once; the last release drops the data.
class MaskBuffer {
 public:
  explicit MaskBuffer(Sharing sharing = Sharing::Counted) : sharing_(sharing) {}

  // Adds a holder, and stores the masks if it is the first. Throws Refusal if there is a holder
  // already and sharing is None or its masks differ.
  void materialize(const Buffers& masks);
  // Adds a holder of the masks that are stored. Throws Refusal if there is no holder, or if sharing
  // is None.
  void retain();
  // Zeroes the masked entries of each hosted rank's tensor in place. The mask's dimensions are the
  // first ones of the tensor: a mask of fewer dimensions selects whole rows. Throws Refusal if
  // there is no holder, and an index error if the shapes do not fit.
  void apply(const Buffers& tensors) const;
  // Removes a holder. Throws Refusal if there is none.
  void release();

  int refcount() const { return refcount_; }
  // The masks in the order of hosted(); empty without a holder.
  const Buffers& data() const { return data_; }
  // Returns true if the buffer's masks equal these. Masks without data are compared by shape.
  bool holds(const Buffers& masks) const;

 private:
  void checkMaterialized() const;
  void refuseUnshared() const;

  Sharing sharing_;
  Buffers data_;
  int refcount_ = 0;
};

}  // namespace shardlens
