#pragma once

#include <functional>
#include <string>

namespace shardlens {

// Callbacks from Processes to the program. Called on the watchdog's threads and on the joining
// thread, so they must be thread-safe, and must not call Processes. Either may be empty.
struct ProcessHooks {
  // Receives a warning about something that delays or limits the run.
  std::function<void(const std::string& what)> warn;
  // Returns the signal that asks this process to end, e.g. "SIGTERM", or an empty string. Polled
  // about ten times a second while a lock is held, so it must return at once.
  std::function<std::string()> interrupted;
};

}  // namespace shardlens
