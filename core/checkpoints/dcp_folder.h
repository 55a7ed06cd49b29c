#pragma once

#include "core/checkpoints/checkpoint.h"

namespace shardlens {

// Returns true if the folder has the metadata of torch.distributed.checkpoint.
bool isDcpFolder(const std::filesystem::path& folder);

// Reads the metadata of a folder of torch.distributed.checkpoint. Throws BadCheckpoint.
Checkpoint readDcpFolder(const std::filesystem::path& folder);

}  // namespace shardlens
