#include "app/bench/measurements.h"

#include "core/comm/estimated.h"
#include "core/tensor/dispatch/make_runtime.h"
#include "core/tensor/distribute.h"
#include "core/tensor/redistribute/redistribute.h"

#include <ATen/ATen.h>
#include <benchmark/benchmark.h>
#include <c10/core/InferenceMode.h>

#include <cstring>

namespace shardlens {
namespace {

constexpr int kRanks = 4;

std::shared_ptr<Runtime> runtimeOf(RuntimeOptions options = {}) {
  return makeSimulatedRuntime(DeviceMesh::make({kRanks}, {"tp"}).value(), options);
}

void keep(const at::Tensor& result) { benchmark::DoNotOptimize(result.unsafeGetTensorImpl()); }

at::Tensor small() { return at::ones({8, 16}); }

void plainAdd(benchmark::State& state, std::int64_t rows, int times) {
  const auto a = at::ones({rows, 16}), b = at::ones({rows, 16});
  for (auto _ : state) {
    for (int i = 0; i < times; ++i) keep(at::add(a, b));
  }
}

void shardedAdd(benchmark::State& state, RuntimeOptions options) {
  const auto runtime = runtimeOf(options);
  const auto a = distribute(runtime, small(), {Shard{0}});
  const auto b = distribute(runtime, small(), {Shard{0}});
  for (auto _ : state) keep(at::add(a, b));
}

struct Lookup {
  at::Tensor table = at::ones({1024, 64});
  at::Tensor ids = at::arange(128, at::kLong).mul(8).view({8, 16});
};

void plainLookup(benchmark::State& state) {
  const Lookup lookup;
  for (auto _ : state) keep(at::embedding(lookup.table, lookup.ids));
}

void rowWiseLookup(benchmark::State& state, RuntimeOptions options) {
  const Lookup lookup;
  const auto runtime = runtimeOf(options);
  const auto table = distribute(runtime, lookup.table, {Shard{0}});
  const auto ids = distribute(runtime, lookup.ids, {Replicate{}});
  for (auto _ : state) keep(redistribute(at::embedding(table, ids), {Replicate{}}));
}

// Returns a runtime with only the first of many ranks: measures dispatch and one rank's local work.
std::shared_ptr<Runtime> loneRank(int ranks) {
  return makeRuntime(DeviceMesh::make({ranks}, {"tp"}).value(),
                     std::make_unique<DryCommunicator>(CostModel(), at::kCPU));
}

void loneAdd(benchmark::State& state, int ranks) {
  const c10::InferenceMode noGradient;
  const auto runtime = loneRank(ranks);
  const auto a = distribute(runtime, at::ones({8 * ranks, 8}), {Shard{0}});
  const auto b = distribute(runtime, at::ones({8 * ranks, 8}), {Shard{0}});
  for (auto _ : state) keep(at::add(a, b));
}

void loneLookup(benchmark::State& state, int ranks, bool reduced) {
  const c10::InferenceMode noGradient;
  const auto runtime = loneRank(ranks);
  const auto table = distribute(runtime, at::ones({64 * ranks, 64}), {Shard{0}});
  const auto ids = distribute(runtime, at::arange(64, at::kLong), {Replicate{}});
  for (auto _ : state) {
    const auto pending = at::embedding(table, ids);
    keep(reduced ? redistribute(pending, {Replicate{}}) : pending);
  }
}

// The same without caches and without values, for meshes of growing size.
std::shared_ptr<Runtime> grownMesh(const std::vector<int>& shape) {
  return makeRuntime(DeviceMesh::make(shape).value(),
                     std::make_unique<DryCommunicator>(CostModel(), at::kMeta),
                     RuntimeOptions{.caches = Caches::Off});
}

// Returns placements for a mesh: `first`, then Replicate for the remaining dimensions.
Placements over(const std::vector<int>& shape, const Placements& first) {
  Placements all(shape.size(), Replicate{});
  std::copy(first.begin(), first.end(), all.begin());
  return all;
}

void grownAdd(benchmark::State& state, const std::vector<int>& shape) {
  const c10::InferenceMode noGradient;
  const auto runtime = grownMesh(shape);
  const auto rows = at::empty({8L * runtime->mesh()->size(), 8}, at::kMeta);
  const auto a = distribute(runtime, rows, over(shape, {Shard{0}}));
  const auto b = distribute(runtime, rows, over(shape, {Shard{0}}));
  for (auto _ : state) keep(at::add(a, b));
}

void grownLookup(benchmark::State& state, const std::vector<int>& shape) {
  const c10::InferenceMode noGradient;
  const auto runtime = grownMesh(shape);
  const auto table = distribute(runtime, at::empty({8L * runtime->mesh()->size(), 8}, at::kMeta),
                                over(shape, {Shard{0}}));
  const auto ids = distribute(
      runtime, at::empty({64}, at::TensorOptions(at::kMeta).dtype(at::kLong)), over(shape, {}));
  for (auto _ : state) keep(at::embedding(table, ids));
}

// A convolution sharded on a spatial dimension by the last mesh dimension, with a halo exchange.
void grownConvolution(benchmark::State& state, const std::vector<int>& shape) {
  const c10::InferenceMode noGradient;
  const auto runtime = grownMesh(shape);
  Placements cut(shape.size(), Replicate{});
  cut.back() = Shard{2};
  const auto x = distribute(runtime, at::empty({8, 16, 64, 64}, at::kMeta), cut);
  const auto w = distribute(runtime, at::empty({16, 16, 3, 3}, at::kMeta), over(shape, {}));
  for (auto _ : state) keep(at::conv2d(x, w, {}, 1, 1));
}

// Attention sharded on heads by the first mesh dimension; the last one shards the keys' sequence.
void grownAttention(benchmark::State& state, const std::vector<int>& shape) {
  const c10::InferenceMode noGradient;
  const auto runtime = grownMesh(shape);
  const auto whole = at::empty({8, 16, 64, 64}, at::kMeta);
  auto keys = over(shape, {Shard{1}});
  if (shape.size() > 1) keys.back() = Shard{2};
  const auto query = distribute(runtime, whole, over(shape, {Shard{1}}));
  const auto key = distribute(runtime, whole, keys), value = distribute(runtime, whole, keys);
  for (auto _ : state) {
    keep(std::get<0>(at::_scaled_dot_product_flash_attention_for_cpu(query, key, value)));
  }
}

void grownPlan(benchmark::State& state, const std::vector<int>& shape) {
  const auto mesh = std::make_shared<const DeviceMesh>(DeviceMesh::make(shape).value());
  const Shape sizes{8L * mesh->size(), 8L * mesh->size()};
  const Spec spec{mesh, over(shape, {Shard{0}}), {sizes, contiguousStrides(sizes), DType::Float32}};
  const auto target = over(shape, {Shard{1}});
  for (auto _ : state) {
    benchmark::DoNotOptimize(makePlan(PlannerKind::MinCost, CostModel(), spec, target));
  }
}

void localLookup(benchmark::State& state) {
  const auto table = at::ones({64, 64});
  const auto ids = at::arange(64, at::kLong);
  for (auto _ : state) keep(at::embedding(table, ids));
}

// Writes the results of a redistribution to R by memcpy: the lower bound for toReplicate().
void copies(benchmark::State& state, std::int64_t bytes) {
  const auto whole = at::ones({bytes / 4});
  for (auto _ : state) {
    Buffers out;
    for (int rank = 0; rank < kRanks; ++rank) {
      out.push_back(at::empty_like(whole));
      std::memcpy(out.back().mutable_data_ptr(), whole.const_data_ptr(), bytes);
    }
    keep(out.back());
  }
}

void toReplicate(benchmark::State& state, std::int64_t bytes, Placement from) {
  const auto runtime = runtimeOf();
  const auto tensor = distribute(runtime, at::ones({bytes / 4}), {from});
  for (auto _ : state) keep(redistribute(tensor, {Replicate{}}));
}

template <class... Args>
void measure(const std::string& name, Args... args) {
  benchmark::RegisterBenchmark(name.c_str(), args...);
}

}  // namespace

void registerMeasurements() {
  RuntimeOptions stepwise, uncached;
  stepwise.masking = Masking::Stepwise;
  uncached.caches = Caches::Off;

  measure("add/plain", plainAdd, 8, 1);
  measure("add/plain_4_parts", plainAdd, 2, kRanks);
  measure("add/sharded", shardedAdd, RuntimeOptions{});
  measure("add/caches_off", shardedAdd, uncached);

  measure("dispatch/add/plain", plainAdd, 4, 1);
  measure("dispatch/embedding/plain", localLookup);
  for (const int ranks : {4, 64, 1024}) {
    const std::string of = "/" + std::to_string(ranks) + "_ranks";
    measure("dispatch/add" + of, loneAdd, ranks);
    measure("dispatch/embedding" + of, loneLookup, ranks, false);
    measure("dispatch/embedding_reduced" + of, loneLookup, ranks, true);
  }

  for (const std::vector<int>& shape : {std::vector{4},
                                        {64},
                                        {1024},
                                        {100000},
                                        {2, 2, 2},
                                        {8, 8, 8},
                                        {64, 8, 16},
                                        {100, 10, 100}}) {
    const std::string of = "/" + toText(DeviceMesh::make(shape).value());
    measure("misses/add" + of, grownAdd, shape);
    measure("misses/embedding" + of, grownLookup, shape);
    measure("misses/plan" + of, grownPlan, shape);
  }
  for (const auto& shape : {std::vector<int>{4}, {2, 2}, {2, 2, 2}, {2, 2, 2, 2}}) {
    const std::string of = "/" + toText(DeviceMesh::make(shape).value());
    measure("families/add" + of, grownAdd, shape);
    measure("families/embedding" + of, grownLookup, shape);
    measure("families/convolution" + of, grownConvolution, shape);
    measure("families/attention" + of, grownAttention, shape);
  }

  measure("embedding/plain", plainLookup);
  measure("embedding/fused", rowWiseLookup, RuntimeOptions{});
  measure("embedding/stepwise", rowWiseLookup, stepwise);
  measure("embedding/caches_off", rowWiseLookup, uncached);

  for (const auto& [size, bytes] :
       {std::pair{"256KiB", std::int64_t{256} << 10}, {"64MiB", std::int64_t{64} << 20}}) {
    const std::string suffix = std::string("/") + size;
    measure("copies" + suffix, copies, bytes);
    measure("S(0)_to_R" + suffix, toReplicate, bytes, Placement(Shard{0}));
    measure("P(sum)_to_R" + suffix, toReplicate, bytes, Placement(Partial{}));
  }
}

}  // namespace shardlens
