#include "core/comm/refuse_together.h"

#include "core/base/refusal.h"

#include <algorithm>

namespace shardlens {

void refuseTogether(Communicator& comm, const std::string& wrongHere) {
  for (const auto& wrong : comm.allGatherStrings(wrongHere)) {
    if (!wrong.empty()) throw Refusal(wrong);
  }
}

bool isTrueAnywhere(Communicator& comm, bool here) {
  const auto words = comm.allGatherStrings(here ? "true" : "");
  return std::any_of(words.begin(), words.end(), [](const auto& each) { return !each.empty(); });
}

}  // namespace shardlens
