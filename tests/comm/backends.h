#pragma once

#include "core/comm/communicator.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace shardlens {

// Terms are added in the group's order, or, as NCCL does it, in whatever order is fastest.
enum class Rounding { InOrder, AsItComes };

// A way for ranks to communicate. run() calls the body with a communicator over that many ranks,
// which hosts some of them, or none.
struct Backend {
  using Body = std::function<void(Communicator&)>;
  std::string name;
  void (*run)(int ranks, const Body& body);
  Rounding rounding = Rounding::InOrder;
};

// Every communicator promises the same: a new one joins here. Started as one of several processes
// (as torchrun would) this program tests those that connect processes, in step with the others;
// else those that need no other process.
const std::vector<Backend>& backends();

// Buffers for the ranks that this process hosts, and what they must be afterwards.
template <class Make>
auto forHosted(const Communicator& comm, Make make) {
  std::vector<decltype(make(0))> made;
  for (const int rank : comm.hosted()) made.push_back(make(rank));
  return made;
}

struct World {
  Backend backend;
  int ranks;
};
std::vector<World> worlds(const std::vector<int>& sizes);
std::string worldName(const testing::TestParamInfo<World>& info);

// All ranks in one group.
GroupSet everyone(int ranks);

// A rows x 2 tensor with these values, as a view into the middle of a larger one: not contiguous.
at::Tensor viewOf(const at::Tensor& values);

// Exactly the same shape, dtype and values.
void expectSame(const at::Tensor& got, const at::Tensor& want, const std::string& what);

}  // namespace shardlens
