#pragma once

#include "core/base/box.h"
#include "core/base/result.h"
#include "core/checkpoints/input/element_type.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// A fault of a checkpoint: data that is missing, stored twice, or not what it should be.
struct CheckpointProblem {
  std::string kind;      // "missing"; see the handbook
  std::string tensor;    // "" if it concerns a file
  std::string sentence;  // with tensor, range and files
  std::optional<Box> where = {};
  std::vector<std::string> files = {};
  bool isWarning = false;  // healthy checkpoints can have it, too
};

// A file that a checkpoint consists of.
struct CheckpointFile {
  std::string name;         // relative to the checkpoint's folder
  std::uint64_t bytes = 0;  // 0 if it is missing
  bool isMissing = false;
  std::optional<int> rank = {};  // that wrote it, if its name states one
};

// A part of a tensor, stored in one file.
struct Slice {
  Box box;
  std::size_t file = 0;      // index into Checkpoint::files
  std::uint64_t offset = 0;  // first byte in the file
  std::uint64_t bytes = 0;
  // Whether the bytes are an archive of torch.save() or the elements in row-major order.
  enum class Encoding : std::uint8_t { Plain, TorchSave } encoding = Encoding::Plain;
};

struct CheckpointTensor {
  std::string name;
  const ElementType* type = nullptr;  // never null
  Extents shape;
  std::vector<Slice> slices;
};

// The content of a checkpoint, without elements.
struct Checkpoint {
  std::filesystem::path path;    // as given
  std::filesystem::path folder;  // that the names of the files are relative to
  std::string format;            // for display
  std::vector<CheckpointFile> files;
  std::vector<CheckpointTensor> tensors;    // sorted by name
  std::vector<std::string> objects;         // names of values that are no tensors, sorted
  std::vector<CheckpointProblem> problems;  // found while opening

  const CheckpointTensor* find(std::string_view name) const;  // null if missing; O(log n)
  bool hasErrors() const;                                     // problems that are no warnings
  // Appends to `problems`. After 1000 of them, the last one states that more are not listed. It is
  // a warning if all of these are.
  void addProblem(CheckpointProblem problem);
};

// Opens a folder of torch.distributed.checkpoint (also as Megatron's torch_dist format), a
// safetensors file, or a folder of these. Reads metadata only, and executes nothing. Returns an
// error if the path is no checkpoint, or if metadata is damaged. Missing files are problems.
Result<Checkpoint> openCheckpoint(const std::filesystem::path& path);

}  // namespace shardlens
