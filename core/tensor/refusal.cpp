#include "core/tensor/refusal.h"

#include "core/comm/communicator.h"

namespace shardlens {

void refuseTogether(Communicator& comm, const std::string& wrongHere) {
  for (const auto& wrong : comm.exchangeWords(wrongHere)) {
    if (!wrong.empty()) throw Refusal(wrong);
  }
}

}  // namespace shardlens
