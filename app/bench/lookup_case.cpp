#include "app/bench/lookup_case.h"

#include "core/model/shard_geometry.h"
#include "core/tensor/dispatch/make_runtime.h"
#include "core/tensor/distribute.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/redistribute/redistribute.h"
#include "kernels/rows.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <cstring>
#include <map>

namespace shardlens {
namespace {

using Call = void (*)(LookupCase&);

const std::map<std::string, Call>& calls() {
  static const std::map<std::string, Call> all = {
      {"lookup", [](LookupCase& of) { of.lookup(Replicas::Apart); }},
      {"shared-lookup", [](LookupCase& of) { of.lookup(Replicas::Shared); }},
      {"fused-pass", [](LookupCase& of) { of.fusedPass(); }},
      {"gradient", [](LookupCase& of) { of.gradient(); }},
      {"dense-gradient", [](LookupCase& of) { of.denseGradient(); }}};
  return all;
}

kernels::Ids kernelIds(const at::Tensor& ids) {
  return {ids.const_data_ptr(), kernels::IdType::Int64, ids.numel()};
}

kernels::RowGrads kernelGrads(const at::Tensor& grads) {
  return {grads.const_data_ptr(), kernels::FloatType::Float32, grads.size(1)};
}

}  // namespace

std::string LookupCase::Size::text() const {
  return std::to_string(rows) + " x " + std::to_string(width) + ", " + std::to_string(ids) + " ids";
}

LookupCase::LookupCase(Size size)
    : size_(size),
      runtime_(makeSimulatedRuntime(DeviceMesh::make({kRanks}).value())),
      ids_(at::randint(size.rows, {size.ids}, at::detail::createCPUGenerator(1), at::kLong)) {
  table_ =
      distribute(runtime_, at::ones({1, 1}).expand({size.rows, size.width}), {shardlens::Shard{0}});
  for (int rank = 0; rank < kRanks; ++rank) {
    shards_.push_back({chunkOf(size.rows, kRanks, rank).begin,
                       dtensorImpl(table_).locals()[static_cast<std::size_t>(rank)]});
  }
  replicatedIds_ = distribute(runtime_, ids_, {Replicate{}});
}

std::vector<std::string> LookupCase::names() {
  std::vector<std::string> names;
  for (const auto& [name, call] : calls()) names.push_back(name);
  return names;
}

void LookupCase::call(const std::string& name) { calls().at(name)(*this); }

void LookupCase::lookup(Replicas replicas) const {
  const auto result = redistribute(at::embedding(table_, replicatedIds_), {Replicate{}});
  if (replicas == Replicas::Shared) return;
  for (const auto& local : dtensorImpl(result).locals()) local.mutable_data_ptr();
}

void LookupCase::gradient() {
  if (!leaf_.defined()) {
    const c10::AutoGradMode on(true);
    leaf_ = table_.detach().requires_grad_();
    reduced_ = redistribute(at::embedding(leaf_, replicatedIds_), {Replicate{}});
    reducedUpstream_ = distribute(runtime_, upstream(), {Replicate{}});
  }
  torch::autograd::grad({reduced_}, {leaf_}, {reducedUpstream_}, /*retain_graph=*/true);
}

void LookupCase::plainLookup() {
  if (!plainTable_.defined()) plainTable_ = at::ones({size_.rows, size_.width});
  at::embedding(plainTable_, ids_);
}

void LookupCase::plainGradient() {
  at::embedding_dense_backward(upstream(), ids_, size_.rows, -1, false);
}

void LookupCase::atenPasses() const {
  for (const auto& [begin, rows] : shards_) {
    const auto mask = ids_.lt(begin).bitwise_or_(ids_.ge(begin + rows.size(0)));
    const auto shifted = ids_.clone().sub_(begin).masked_fill_(mask, 0);
    at::embedding(rows, shifted).masked_fill_(mask.unsqueeze(-1), 0);
  }
}

void LookupCase::fusedPass() {
  if (partials_.empty()) {
    for (int i = 0; i < kRanks; ++i) partials_.push_back(at::zeros({size_.ids, size_.width}));
  }
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    const auto& [begin, rows] = shards_[i];
    kernels::maskedLookup(
        {rows.const_data_ptr(), size_.width * std::int64_t{sizeof(float)}, {begin, rows.size(0)}},
        kernelIds(ids_), partials_[i].mutable_data_ptr(), nullptr);
  }
}

void LookupCase::denseGradient() {
  if (!dense_.defined()) dense_ = at::zeros({size_.rows, size_.width});
  std::memset(dense_.mutable_data_ptr(), 0, dense_.nbytes());
  kernels::scatterAddRows(kernelIds(ids_), kernelGrads(upstream()), {0, size_.rows}, std::nullopt,
                          dense_.mutable_data_ptr());
}

const at::Tensor& LookupCase::upstream() {
  if (!upstream_.defined()) upstream_ = at::ones({size_.ids, size_.width});
  return upstream_;
}

}  // namespace shardlens
