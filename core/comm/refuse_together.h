#pragma once

#include "core/comm/communicator.h"

#include <string>

namespace shardlens {

// Refuses in every process what is wrong in any: each sees its own ranks only, and all refuse or
// none. Empty where nothing is wrong here.
void refuseTogether(Communicator& comm, const std::string& wrongHere);

}  // namespace shardlens
