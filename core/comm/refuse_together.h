#pragma once

#include "core/comm/communicator.h"

#include <string>

namespace shardlens {

// Throws Refusal in every process if any process passes an error, with the error of the first such
// process. Pass an empty string if there is none. Collective: each process checks only its hosted
// ranks, and all throw or none.
void refuseTogether(Communicator& comm, const std::string& wrongHere);

// Returns true in every process if `here` is true in any process. Collective.
bool isTrueAnywhere(Communicator& comm, bool here);

}  // namespace shardlens
