#include "core/comm/refuse_together.h"

#include "core/base/refusal.h"

namespace shardlens {

void refuseTogether(Communicator& comm, const std::string& wrongHere) {
  for (const auto& wrong : comm.allGatherStrings(wrongHere)) {
    if (!wrong.empty()) throw Refusal(wrong);
  }
}

}  // namespace shardlens
