#pragma once

#include "core/checkpoints/checkpoint.h"
#include "core/checkpoints/input/input_file.h"
#include "core/checkpoints/input/torch_archive.h"

#include <deque>
#include <memory>

namespace shardlens {

// The open files of a checkpoint, at most 64 at a time. Not thread-safe.
class OpenFiles {
 public:
  // `checkpoint` must outlive this object.
  explicit OpenFiles(const Checkpoint& checkpoint)
      : checkpoint_(checkpoint), files_(checkpoint.files.size()) {}
  // Throws BadCheckpoint if the file cannot be opened.
  std::shared_ptr<const InputFile> open(std::size_t file);
  const Checkpoint& checkpoint() const { return checkpoint_; }

 private:
  const Checkpoint& checkpoint_;
  std::vector<std::shared_ptr<const InputFile>> files_;
  std::deque<std::size_t> order_;  // indices of the open files, oldest first
};

// Reads elements of one slice, in any order; fast if they ascend. Uses 256 KiB of memory.
class SliceReader {
 public:
  // Throws BadCheckpoint if the file does not contain the slice, or a tensor of another type or
  // shape.
  SliceReader(OpenFiles& files, const CheckpointTensor& tensor, const Slice& slice);

  // Returns `count` elements along the last dimension from an index of the whole tensor on, which
  // must be in the slice. They are packed, and valid until the next call. `count` is at most
  // mostElements(). Scalars have one element at the index {}.
  const std::byte* run(const Extents& index, std::int64_t count);
  std::int64_t mostElements() const;

 private:
  std::shared_ptr<const InputFile> file_;
  BufferedFile buffered_;
  Extents offsets_;
  StoredTensor stored_;
  std::vector<std::byte> packed_;  // elements that are not adjacent in the file
};

}  // namespace shardlens
