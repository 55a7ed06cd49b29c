#pragma once

#include "core/base/refusal.h"
#include "core/tensor/dispatch/make_runtime.h"
#include "core/tensor/distribute.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/redistribute/redistribute.h"
#include "tests/tensor/deferring.h"
#include "tests/tensor/gpu/fake_cuda.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace shardlens {

// Installed at the start, because torch caches whether there is CUDA.
inline const bool kHasFakeGpus =
    std::getenv("SHARDLENS_FAKE_GPUS") != nullptr && (fake_cuda::install(), true);

// Returns the communicator of simulated ranks. If the environment variable SHARDLENS_DEFER is set,
// redistributions stay asynchronous as long as possible; see Deferring. If SHARDLENS_FAKE_GPUS is
// set, the ranks are on fake GPUs.
inline std::unique_ptr<Communicator> testedCommunicator(int ranks) {
  if (kHasFakeGpus) return fake_cuda::communicator(ranks);
  auto simulated = std::make_unique<SimulatedCommunicator>(ranks);
  if (std::getenv("SHARDLENS_DEFER") == nullptr) return simulated;
  return std::make_unique<Deferring>(std::move(simulated));
}

// Return a runtime over testedCommunicator() with a mesh of these sizes.
inline std::shared_ptr<Runtime> ranks(std::vector<int> sizes, RuntimeOptions options) {
  auto mesh = *DeviceMesh::make(std::move(sizes));
  auto comm = testedCommunicator(mesh.size());
  return makeRuntime(std::move(mesh), std::move(comm), options);
}

inline std::shared_ptr<Runtime> ranks(std::vector<int> sizes, Masking masking = Masking::Fused) {
  return ranks(std::move(sizes), RuntimeOptions{.masking = masking});
}

// Parses placements, one per text, which must be valid.
inline Placements placed(const std::vector<std::string>& texts) {
  Placements placements;
  for (const auto& text : texts) placements.push_back(*parsePlacement(text));
  return placements;
}

inline std::string placementsOf(const at::Tensor& tensor) {
  return toText(specOf(tensor).placements);
}

// Replicates the tensor and returns it on the CPU. The test fails if the ranks' copies differ.
inline at::Tensor whole(const at::Tensor& sharded) {
  const auto dims = static_cast<std::size_t>(specOf(sharded).mesh->ndim());
  const auto replicated = redistribute(sharded, Placements(dims, Replicate{}));
  const auto& locals = dtensorImpl(replicated).locals();
  const auto first = locals.front().cpu();
  for (const auto& local : locals) EXPECT_TRUE(at::equal(local.cpu(), first));
  return first;
}

// Small integers as floats, so that sums are equal in any order.
inline at::Tensor numbered(at::IntArrayRef shape, int modulus = 97) {
  std::int64_t count = 1;
  for (const auto size : shape) count *= size;
  return at::arange(count).mul(7).remainder(modulus).to(at::kFloat).reshape(shape);
}

inline at::Tensor ids(const std::vector<std::int64_t>& values) { return at::tensor(values); }

// Returns the message of the Refusal that the call throws, or "nothing was refused".
template <class Call>
std::string refusalOf(Call call) {
  try {
    call();
  } catch (const Refusal& refusal) {
    return refusal.what();
  }
  return "nothing was refused";
}

// Expects that a lookup of ids with one to five dimensions stays partial, and has plain torch's
// values. For runtimes of one mesh dimension that mask step by step.
inline void expectLookupsOfOneToFiveDimensions(const std::shared_ptr<Runtime>& runtime) {
  const std::vector<std::int64_t> sizes{2, 3, 1, 2, 2};
  const auto table = distribute(runtime, numbered({10, 3}), placed({"S(0)"}));
  for (std::size_t dims = 1; dims <= sizes.size(); ++dims) {
    const at::IntArrayRef shape(sizes.data(), dims);
    const auto words = at::arange(at::ones(shape).numel()).mul(7).remainder(10).reshape(shape);
    const auto y = at::embedding(table, distribute(runtime, words, placed({"R"})));
    EXPECT_EQ(placementsOf(y), "(MaskP(sum, [10, 3], 0))");
    EXPECT_TRUE(at::equal(whole(y), at::embedding(numbered({10, 3}), words))) << dims;
  }
}

}  // namespace shardlens
