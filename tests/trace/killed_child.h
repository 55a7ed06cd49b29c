#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace shardlens {

// How a child process ended.
struct ChildEnd {
  std::uint64_t calls = 0;  // system calls that change files or folders
  bool isKilled = false;    // by SIGKILL; else it returned from its body
};

// Runs `body` in a child process, which has all of this process's memory, and waits for its end.
// Kills the child, as kill -9 would, when one of its threads begins its system call number `last`,
// counted from 1, of those that change files or folders: write, rename, truncate, remove, sync, and
// the creation of a file. Does not kill it for 0 or if it makes fewer calls. Returns nullopt if
// this system permits no tracing. This process must have no other children and only one thread.
std::optional<ChildEnd> runAndKill(std::uint64_t last, const std::function<void()>& body);

// Calls `run(last)` with places for runAndKill() that are spread evenly over `calls` calls: `usual`
// of them, or as many as the environment variable SHARDLENS_KILLS says.
void forEachKill(std::uint64_t calls, std::uint64_t usual,
                 const std::function<void(std::uint64_t last)>& run);

}  // namespace shardlens
