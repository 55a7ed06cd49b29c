#pragma once

#include "core/comm/communicator.h"

namespace shardlens {

// Note [The mask is the tensor's]
// A MaskPartial placement is a pure value that caches may keep. Which ids a rank does not own is no
// part of it: that belongs to the pending tensors that came from the same lookup of the same ids,
// and lives in the buffer they share, as long as one of them needs it.

// Whether several may hold a buffer at once. In PyTorch's first version one alone did.
enum class Sharing : std::uint8_t { Counted, None };

// The masks of the hosted ranks, and how many hold them. Everyone who materializes it must bring
// the same masks, and releases it once; the last release drops the data.
class MaskBuffer {
 public:
  explicit MaskBuffer(Sharing sharing = Sharing::Counted) : sharing_(sharing) {}

  void materialize(const Buffers& masks);
  // Zeroes, in place, what the masks say of each hosted rank's tensor, whose first dimensions are
  // the mask's: elements where it has no more, whole rows where it has one more.
  void apply(const Buffers& tensors) const;
  void release();

  int refcount() const { return refcount_; }
  const Buffers& data() const { return data_; }
  bool holds(const Buffers& masks) const;

 private:
  void checkMaterialized() const;

  Sharing sharing_;
  Buffers data_;
  int refcount_ = 0;
};

}  // namespace shardlens
