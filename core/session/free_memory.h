#pragma once

#include <cstddef>
#include <filesystem>

namespace shardlens {

// The bytes that this process could still be given: what the machine could free without taking it
// from anybody, but no more than is left of the limits of its control groups (cgroup v1 or v2),
// whose file caches count as free. The largest number where nothing says so. `root` stands for "/".
std::size_t freeMemory(const std::filesystem::path& root = "/");

}  // namespace shardlens
