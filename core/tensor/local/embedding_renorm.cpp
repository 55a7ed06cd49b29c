#include "core/model/shard_geometry.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/local/embedding.h"
#include "core/tensor/local/families.h"

#include <ATen/ATen.h>
#include <ATen/OpMathType.h>

#include <cmath>
#include <limits>

namespace shardlens {
namespace {

void checkRenorm(at::ArrayRef<c10::IValue>, const std::vector<at::Tensor>& inputs) {
  refuseOtherTable("aten.embedding_renorm", inputs[0]);
  refuseIdsOutside("aten.embedding_renorm", inputs[1], inputs[0].size(0));
}

// Returns the rank's rows that are among the ids, each once, as local indices.
at::Tensor requestedRows(const at::Tensor& ids, const Runs& owned) {
  const auto requested = std::get<0>(at::_unique(ids.to(at::kLong)));
  std::vector<at::Tensor> rows;
  std::int64_t before = 0;
  for (const auto& run : owned) {
    const auto within = requested.ge(run.begin).bitwise_and_(requested.lt(run.begin + run.length));
    rows.push_back(requested.masked_select(within).add_(before - run.begin));
    before += run.length;
  }
  return rows.empty() ? at::empty({0}, requested.options()) : at::cat(rows);
}

// The norm of rows whose columns are sharded: a rank's partial value, the reduction, and the
// result. A rank without columns has the neutral value.
struct RowNorm {
  double p;

  bool isExtreme() const { return std::isinf(p); }
  ReduceOp op() const {
    if (!isExtreme()) return ReduceOp::Sum;
    return p > 0 ? ReduceOp::Max : ReduceOp::Min;
  }
  at::Tensor partial(const at::Tensor& rows) const {
    const auto sizes = rows.to(at::toOpMathType(rows.scalar_type())).abs();
    if (!isExtreme()) return (p == 0 ? sizes.ne(0).to(sizes.dtype()) : sizes.pow(p)).sum(1);
    if (rows.size(1) == 0) {
      const double neutral = p > 0 ? 0 : std::numeric_limits<double>::infinity();
      return at::full({rows.size(0)}, neutral, sizes.options());
    }
    return p > 0 ? sizes.amax(1) : sizes.amin(1);
  }
  at::Tensor of(const at::Tensor& reduced) const {
    return p == 0 || isExtreme() ? reduced : reduced.pow(1 / p);
  }
};

// row *= max_norm / (norm + 1e-7) where the norm is larger: the plain operator's arithmetic.
void shrink(at::Tensor table, const at::Tensor& rows, const at::Tensor& norms, double maxNorm) {
  const auto large = norms.gt(maxNorm);
  const auto which = rows.masked_select(large);
  const auto scale =
      norms.masked_select(large).to(at::kDouble).add_(1e-7).reciprocal_().mul_(maxNorm);
  const auto wide = at::toOpMathType(table.scalar_type());
  const auto shrunk = table.index_select(0, which).to(wide).mul_(scale.to(wide).unsqueeze(1));
  table.index_copy_(0, which, shrunk.to(table.scalar_type()));
}

std::vector<int> columnMeshDims(const Spec& weight) {
  std::vector<int> dims;
  for (int dim = 0; dim < weight.mesh->ndim(); ++dim) {
    const auto cut = shardedDim(weight.placements[static_cast<std::size_t>(dim)]);
    if (cut == 1 && weight.mesh->size(dim) > 1) dims.push_back(dim);
  }
  return dims;
}

// Renormalises each rank's rows in place. Ranks that share rows select the same ones, so one
// reduction computes the norms.
void renorm(const LocalCall& call, const Buffers& tables) {
  const double maxNorm = call.args[2].toDouble();
  const RowNorm norm{call.args[3].toDouble()};
  const Spec& weight = specOf(call.inputs[0]);
  Buffers rows;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const int rank = call.runtime.comm().hosted()[i];
    const auto owned = ownedRuns(weight.meta.shape, *weight.mesh, weight.placements, rank);
    rows.push_back(requestedRows(call.local(1, i), owned[0]));
  }
  const auto meshDims = columnMeshDims(weight);
  if (meshDims.empty()) {
    for (std::size_t i = 0; i < tables.size(); ++i) {
      if (rows[i].numel() == 0) continue;  // CUDA refuses to launch no blocks
      at::Tensor table = tables[i];
      at::embedding_renorm_(table, rows[i], maxNorm, norm.p);
    }
    return;
  }
  Buffers partials;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    partials.push_back(norm.partial(tables[i].index_select(0, rows[i])));
  }
  call.runtime.comm().allReduce(call.runtime.groups(meshDims).set(), partials, partials,
                                {norm.op()});
  for (std::size_t i = 0; i < tables.size(); ++i) {
    shrink(tables[i], rows[i], norm.of(partials[i]), maxNorm);
  }
}

Buffers tablesOf(const LocalCall& call) {
  Buffers tables;
  for (std::size_t i = 0; i < call.hosted(); ++i) tables.push_back(call.local(0, i));
  return tables;
}

LocalResult renormed(const LocalCall& call) {
  Buffers tables = tablesOf(call);
  for (auto& table : tables) table = table.clone();
  renorm(call, tables);
  return {{std::move(tables)}};
}

LocalResult renormInPlace(const LocalCall& call) {
  renorm(call, tablesOf(call));
  return {};
}

}  // namespace

std::vector<NamedKernel> embeddingRenormKernels() {
  return {
      {"aten.embedding_renorm", {.check = checkRenorm, .run = renormed, .runsDry = true}},
      {"aten.embedding_renorm_", {.check = checkRenorm, .run = renormInPlace, .runsDry = true}}};
}

}  // namespace shardlens
