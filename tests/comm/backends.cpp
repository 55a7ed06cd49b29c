#include "tests/comm/backends.h"

#include "core/comm/gloo/gloo_communicator.h"
#include "core/comm/simulated.h"
#include "shardlens_gpu_build.h"
#include "tests/comm/nccl_backends.h"

#include <ATen/ATen.h>

#include <cstdlib>
#include <numeric>

namespace shardlens {
namespace {

void runSimulated(int ranks, const Backend::Body& body) {
  SimulatedCommunicator comm(ranks);
  body(comm);
}

bool isOneOfSeveral() { return std::getenv("RANK") != nullptr; }

// Joins the processes once, for all tests.
class Joined final : public testing::Environment {
 public:
  void SetUp() override {
    const auto meeting = rendezvousFromEnvironment();
    ASSERT_TRUE(meeting.has_value()) << meeting.error().message;
    auto joined = Processes::join(*meeting, {}, std::chrono::seconds(20));
    ASSERT_TRUE(joined.has_value()) << joined.error().message;
    processes = *std::move(joined);
  }
  void TearDown() override { processes = nullptr; }

  static inline std::shared_ptr<Processes> processes;
};

[[maybe_unused]] const testing::Environment* const kJoined =
    isOneOfSeveral() ? testing::AddGlobalTestEnvironment(new Joined) : nullptr;

// Rounds the number of ranks up to a multiple of the processes; only the first `ranks` communicate.
// With 5 ranks on 4 processes, two processes host two ranks, one hosts one, and one hosts none.
void runGloo(int ranks, const Backend::Body& body) {
  const int count = Joined::processes->processes();
  const int all = (ranks + count - 1) / count * count;
  const auto whole = GlooCommunicator::make(Joined::processes, all).value();
  if (ranks == all) return body(*whole);
  std::vector<int> some(static_cast<std::size_t>(ranks));
  std::iota(some.begin(), some.end(), 0);
  body(*whole->over(some));
}

}  // namespace

const std::vector<Backend>& backends() {
  static const std::vector<Backend> kBackends = [] {
    if (isOneOfSeveral()) return std::vector<Backend>{{"gloo", runGloo}};
    std::vector<Backend> alone{{"simulated", runSimulated}};
#ifdef SHARDLENS_WITH_NCCL
    for (auto& backend : ncclBackends()) alone.push_back(std::move(backend));
#endif
    return alone;
  }();
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
