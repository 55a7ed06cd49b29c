#pragma once

#include "core/comm/communicator.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace shardlens {

// The order of additions in a reduction: that of the group, or unspecified, as in NCCL.
enum class Rounding { InOrder, AsItComes };

// A kind of communicator under test. run() calls the body with a communicator over this number of
// ranks; it may host only some of them, or none.
struct Backend {
  using Body = std::function<void(Communicator&)>;
  std::string name;
  void (*run)(int ranks, const Body& body);
  Rounding rounding = Rounding::InOrder;
};

// Returns the backends to test. All have the same contract, so a new one is added here. If this
// program is one of several processes (as under torchrun), returns those that connect processes,
// and all processes run the same tests. Else returns those that need only this process.
const std::vector<Backend>& backends();

// Returns make(rank) for each rank that this process hosts: inputs, or expected results.
template <class Make>
auto forHosted(const Communicator& comm, Make make) {
  std::vector<decltype(make(0))> made;
  for (const int rank : comm.hosted()) made.push_back(make(rank));
  return made;
}

// A backend with a number of ranks: the parameter of a test.
struct World {
  Backend backend;
  int ranks;
};
// Returns each backend with each of these numbers of ranks, and the name of such a test.
std::vector<World> worlds(const std::vector<int>& sizes);
std::string worldName(const testing::TestParamInfo<World>& info);

// Returns one group with all ranks.
GroupSet everyone(int ranks);

// Returns a copy of a rows x 2 tensor as a non-contiguous view into the middle of a larger one.
at::Tensor viewOf(const at::Tensor& values);

// Expects equal shape, dtype and values.
void expectSame(const at::Tensor& got, const at::Tensor& want, const std::string& what);

}  // namespace shardlens
