#include "tests/comm/nccl_backends.h"

#include "core/comm/nccl/device/library.h"
#include "core/comm/nccl/device/nccl_collectives.h"
#include "core/comm/nccl/device/probe.h"
#include "core/comm/nccl/nccl_communicator.h"
#include "core/comm/nccl/nccl_gpus.h"
#include "tests/comm/nccl/fake_gpus.h"

#include <cstdlib>
#include <iostream>
#include <numeric>

namespace shardlens {
namespace {

void runOnFakes(int ranks, int gpus, const Backend::Body& body) {
  FakeGpus fakes(gpus, FakeGpus::Running::Eagerly);
  {
    auto joined = NcclCollectives::join(fakes.api(), spreadOverGpus(ranks, gpus), 0,
                                        {.copyBlocks = fakes.copyKernel()});
    ASSERT_TRUE(joined) << joined.error().message;
    std::vector<int> hosted(static_cast<std::size_t>(ranks));
    std::iota(hosted.begin(), hosted.end(), 0);
    NcclCommunicator comm(*std::move(joined), at::kCPU, hosted, nullptr);
    body(comm);
  }
  EXPECT_EQ(fakes.problems(), std::vector<std::string>());
  EXPECT_EQ(fakes.alive(), 0);
}

void runApart(int ranks, const Backend::Body& body) { runOnFakes(ranks, ranks, body); }

void runSharing(int ranks, const Backend::Body& body) { runOnFakes(ranks, 2, body); }

Result<void> haveGpus() { return readyForGpus(probeGpus()); }

void runOnGpus(int ranks, const Backend::Body& body) {
  static const auto kGpus = NcclGpus::open(nullptr);
  ASSERT_TRUE(kGpus) << kGpus.error().message;
  body(*(*kGpus)->communicator(ranks));
}

TEST(Nccl, IsTriedOnTheGpusOfThisMachine) {
  if (const auto have = haveGpus(); !have) GTEST_SKIP() << have.error().message;
  runOnGpus(2, [](const Communicator& comm) { EXPECT_TRUE(comm.device(0).is_cuda()); });
}

// Loads NCCL before torch's library, as NcclGpus does, so that torch uses this NCCL and not one
// that the loader finds. Run it in a separate process, because the libraries stay loaded. Ends it.
void loadAsForGpus() {
  const auto api = loadGpuApi();
  const auto torch = Library::open({probeGpus().torchCuda.value().string()});
  if (!api) std::cerr << api.error().message << '\n';
  if (!torch) std::cerr << torch.error().message << '\n';
  std::_Exit(api && torch ? 0 : 1);
}

TEST(Nccl, LoadsWithTorchsPartForGpusWithoutAny) {
  if (const auto file = probeGpus().torchCuda; !file) GTEST_SKIP() << file.error().message;
  EXPECT_EXIT(loadAsForGpus(), testing::ExitedWithCode(0), "");
}

}  // namespace

std::vector<Backend> ncclBackends() {
  std::vector<Backend> all{{"fake_nccl_apart", runApart, Rounding::AsItComes},
                           {"fake_nccl_sharing", runSharing, Rounding::AsItComes}};
  if (haveGpus()) all.push_back({"nccl", runOnGpus, Rounding::AsItComes});
  return all;
}

}  // namespace shardlens
