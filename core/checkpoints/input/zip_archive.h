#pragma once

#include "core/checkpoints/input/input_file.h"

#include <string>
#include <vector>

namespace shardlens {

// A file in a zip archive. Its bytes are within the archive.
struct ArchiveEntry {
  std::string name;         // without its first folder, as torch.save() has one: "data.pkl"
  std::uint64_t begin = 0;  // offset in the file that contains the archive
  std::uint64_t bytes = 0;
};

// Returns the files in the zip archive of `bytes` bytes from `offset` on, with 32-bit or 64-bit
// sizes. Throws BadCheckpoint for other content and for compressed files, so an archive cannot be
// larger than it seems.
std::vector<ArchiveEntry> zipEntries(const InputFile& file, std::uint64_t offset,
                                     std::uint64_t bytes);

}  // namespace shardlens
