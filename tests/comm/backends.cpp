#include "tests/comm/backends.h"

#include "core/comm/simulated.h"

#include <ATen/ATen.h>

#include <numeric>

namespace shardlens {
namespace {

void runSimulated(int ranks, const Backend::Body& body) {
  SimulatedCommunicator comm(ranks);
  body(comm);
}

}  // namespace

const std::vector<Backend>& backends() {
  static const std::vector<Backend> kBackends = {{"simulated", runSimulated}};
  return kBackends;
}

std::vector<World> worlds(const std::vector<int>& sizes) {
  std::vector<World> all;
  for (const auto& backend : backends()) {
    for (const int ranks : sizes) all.push_back({backend, ranks});
  }
  return all;
}

std::string worldName(const testing::TestParamInfo<World>& info) {
  return info.param.backend.name + "_" + std::to_string(info.param.ranks);
}

GroupSet everyone(int ranks) {
  std::vector<int> group(static_cast<std::size_t>(ranks));
  std::iota(group.begin(), group.end(), 0);
  return {"tp", 0, {group}};
}

at::Tensor viewOf(const at::Tensor& values) {
  auto around = at::full({values.size(0) + 2, 5}, 77, values.options());
  auto view = around.narrow(0, 1, values.size(0)).narrow(1, 2, 2);
  view.copy_(values);
  return view;
}

void expectSame(const at::Tensor& got, const at::Tensor& want, const std::string& what) {
  EXPECT_EQ(got.scalar_type(), want.scalar_type()) << what;
  EXPECT_TRUE(at::equal(got, want)) << what << ": got\n" << got << "\nexpected\n" << want;
}

}  // namespace shardlens
