#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace shardlens {

// The address where the processes of a run meet, and this process's number among them, from the
// environment variables that torchrun and other launchers set.
struct Rendezvous {
  int process = 0;          // RANK; here the number of a process, which may host several ranks
  int processes = 1;        // WORLD_SIZE
  std::string host;         // MASTER_ADDR
  std::uint16_t port = 0;   // MASTER_PORT
  bool agentStore = false;  // torchrun's agent serves the store; otherwise process 0 does
  int attempt = 0;          // how often the agent has restarted the processes
};

// Returns the value of an environment variable, or nullopt if it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& variable)>;

// Returns true if a launcher has started several processes that must meet: RANK is set, and
// WORLD_SIZE is set to something other than 1.
bool isLaunched(const Environment& environment);

// Returns an error if a required variable is missing, empty or not a number in its range.
Result<Rendezvous> rendezvousFrom(const Environment& environment);

// The same for the environment of this process.
bool isLaunched();
Result<Rendezvous> rendezvousFromEnvironment();

}  // namespace shardlens
