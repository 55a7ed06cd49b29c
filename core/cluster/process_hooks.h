#pragma once

#include <functional>
#include <string>

namespace shardlens {

// How those who run the processes hear of them, and they of those. Called by other threads.
struct ProcessHooks {
  std::function<void(const std::string& what)> warn;  // of what the run goes on without or later
  std::function<std::string()> interrupted;  // "SIGTERM": what asks this process to end, if any
};

}  // namespace shardlens
