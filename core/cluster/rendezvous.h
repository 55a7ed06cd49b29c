#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace shardlens {

// Where the processes of a run meet, and which of them this one is, as torchrun and other launchers
// say in the environment.
struct Rendezvous {
  int process = 0;    // RANK, which is a process's number here: it may host several ranks
  int processes = 1;  // WORLD_SIZE
  std::string host;   // MASTER_ADDR
  std::uint16_t port = 0;
  bool agentStore = false;  // torchrun's agent listens there already, else process 0 has to
  int attempt = 0;          // how often the agent has started the processes anew
};

using Environment = std::function<std::optional<std::string>(const std::string& variable)>;

// Whether somebody has started several processes that are to meet.
bool isLaunched(const Environment& environment);

Result<Rendezvous> rendezvousFrom(const Environment& environment);

// The same of this process's environment.
bool isLaunched();
Result<Rendezvous> rendezvousFromEnvironment();

}  // namespace shardlens
