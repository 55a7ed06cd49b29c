#pragma once

#include <cstddef>
#include <filesystem>

namespace shardlens {

// Returns the number of bytes that this process can still allocate: MemAvailable, limited by what
// is left of its control groups (cgroup v1 or v2) and their ancestors. File caches count as free.
// Returns SIZE_MAX if no limit can be read. `root` replaces "/" in tests.
std::size_t freeMemory(const std::filesystem::path& root = "/");

}  // namespace shardlens
