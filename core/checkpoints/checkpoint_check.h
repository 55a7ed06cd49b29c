#pragma once

#include "core/checkpoints/checkpoint.h"

namespace shardlens {

// Adds to checkpoint.problems what is wrong with the slices. Kinds:
//   missing       elements that are in no file, or whose file is missing
//   overlap       elements that are in two slices
//   unreadable    a file that does not contain a slice as the metadata describes it
//   shared-bytes  two slices that the metadata places at the same bytes of a file
//   equal-slices  two slices of a floating-point tensor with the same elements: a warning
// Reads the description of each stored slice and its first 4 KiB. Slices that agree in these are
// compared whole. Slices that begin with one value repeated are not compared, because many
// tensors are initialised so.
void checkCheckpoint(Checkpoint& checkpoint);

// Returns "w[0:4, 0:5] in __0_0.distcp", with the rank if the file's name states one.
std::string sliceText(const Checkpoint& checkpoint, const CheckpointTensor& tensor,
                      const Slice& slice);

}  // namespace shardlens
