#pragma once

#include <functional>
#include <string>

namespace shardlens {

// Callbacks from Processes to the program. Called on the watchdog's threads and on the joining
// thread. Both may be empty.
struct ProcessHooks {
  std::function<void(const std::string& what)> warn;  // reports something that delays or limits the
                                                      // run
  std::function<std::string()> interrupted;  // returns the signal that asks this process to end,
                                             // "SIGTERM", or ""
};

}  // namespace shardlens
