#pragma once

#include "core/base/box.h"
#include "core/checkpoints/input/element_type.h"
#include "core/checkpoints/input/input_file.h"

namespace shardlens {

// Where the elements of a stored tensor are: element [i, j] begins at byte
// begin + (i * strides[0] + j * strides[1]) * type->size of the file.
struct StoredTensor {
  const ElementType* type = nullptr;
  Extents sizes;
  Extents strides;
  std::uint64_t begin = 0;
};

// Reads the description of the tensor that torch.save() wrote to `bytes` bytes from `offset` on: a
// zip archive without compression. The elements are within the archive. Throws BadCheckpoint for
// other content, and for objects that are no plain tensor.
StoredTensor readTorchArchive(const InputFile& file, std::uint64_t offset, std::uint64_t bytes);

}  // namespace shardlens
