#pragma once

#include "core/checkpoints/checkpoint.h"

namespace shardlens {

// Returns true if the folder has an index of safetensors files, or such a file.
bool hasSafetensors(const std::filesystem::path& folder);

// Read the headers of one file, of the files that *.safetensors.index.json lists, or of all files
// of a folder without an index. A file that torch.distributed.checkpoint wrote states which slices
// it has. Throw BadCheckpoint.
Checkpoint readSafetensorsFile(const std::filesystem::path& file);
Checkpoint readSafetensorsFolder(const std::filesystem::path& folder);

}  // namespace shardlens
