#include "core/legacy/legacy_table.h"

#include "core/base/refusal.h"
#include "core/model/shard_geometry.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/events/explain.h"
#include "core/tensor/events/single_candidate.h"
#include "core/tensor/id_check.h"
#include "core/tensor/redistribute/redistribute.h"
#include "core/tensor/runtime.h"

#include <ATen/ATen.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <fmt/core.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

namespace shardlens {
namespace {

// Returns the tensor's ranks in ascending order.
std::vector<int> sortedRanks(const at::Tensor& tensor) {
  auto ranks = specOf(tensor).mesh->ranks();
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

void refuseOtherTypes(const at::Tensor& weight, const at::Tensor& ids) {
  if (!ids.defined() || !isDTensor(ids)) throw Refusal("input need to be torch.Tensor");
  if (!weight.defined() || !isDTensor(weight)) throw Refusal("weight needs to be ShardedTensor");
}

void refuseOtherDims(const std::string& module, const at::Tensor& weight) {
  for (const auto& placement : specOf(weight).placements) {
    const auto dim = shardedDim(placement);
    if (!dim || *dim < 2) continue;
    throw Refusal(fmt::format("{} weight sharded on dim {} not supported!", module, *dim));
  }
  if (weight.dim() != 2) {
    throw Refusal("Weight needs to have exactly 2 dims, got " + std::to_string(weight.dim()));
  }
}

void refuseOtherOptions(const LegacyOptions& options, std::int64_t rows) {
  const auto flagged = [](const std::string& flag) {
    return Refusal("nn.Embedding weight sharded with flag on \"" + flag + "\" not supported!");
  };
  if (options.scaleGradByFreq) throw flagged("scale_grad_by_freq");
  if (options.sparse) throw flagged("sparse");
  if (options.maxNorm && !(*options.maxNorm > 0)) {
    throw Refusal("\"max_norm\" must be larger than zero!");
  }
  if (options.paddingIdx && (*options.paddingIdx < -rows || *options.paddingIdx >= rows)) {
    throw Refusal(
        fmt::format("Padding_idx must be within num_embeddings, got {}, expected {} to {}",
                    *options.paddingIdx, -rows, rows - 1));
  }
}

void refuseOtherCuts(const at::Tensor& weight, const at::Tensor& ids) {
  const Spec& table = specOf(weight);
  const auto lies = ", got " + toText(table.placements) + ", expected S(0) or S(1)";
  const bool strided =
      std::any_of(table.placements.begin(), table.placements.end(), isStridedShard);
  if (strided) throw Refusal("Only one local shard supported!" + lies);
  if (table.mesh->ndim() != 1 || !isShard(table.placements.front())) {
    throw Refusal("Only ChunkShardingSpec supported for ShardedTensor ops!" + lies);
  }
  const Spec& words = specOf(ids);
  if (words.mesh->ndim() != 1 ||
      (!isReplicate(words.placements.front()) && !isShard(words.placements.front(), 0))) {
    throw Refusal("input: got " + toText(words.placements) + ", expected R or S(0)");
  }
  const auto tableRanks = sortedRanks(weight), idRanks = sortedRanks(ids);
  if (tableRanks == idRanks) return;
  const bool without =
      !std::includes(tableRanks.begin(), tableRanks.end(), idRanks.begin(), idRanks.end());
  throw Refusal(without ? "Only one local shard supported! Some ranks of the input have none"
                        : "Cross device mesh comm not supported yet!");
}

Buffers emptied(const Buffers& like, const std::vector<Shape>& shapes) {
  Buffers buffers;
  for (std::size_t i = 0; i < like.size(); ++i) {
    buffers.push_back(at::empty(shapes[i], like[i].options()));
  }
  return buffers;
}

}  // namespace

LegacyTable::LegacyTable(const std::string& module, const at::Tensor& weight, const at::Tensor& ids,
                         const LegacyOptions& options) {
  refuseOtherTypes(weight, ids);
  refuseOtherDims(module, weight);
  refuseOtherOptions(options, weight.size(0));
  refuseOtherCuts(weight, ids);
  refuseBadIds("Index out of range in Input", dtensorImpl(ids), weight.size(0));
  weight_ = weight;
  runtime_ = dtensorImpl(ids).sharedRuntime();
  hosted_ = &runtime_->comm().hosted();
  members_ = runtime_->mesh()->ranks();
  dim_ = *shardedDim(specOf(weight).placements.front());
  idsSharded_ = !isReplicate(specOf(ids).placements.front());
}

ComputeSpan LegacyTable::computing(const std::string& name) const {
  return ComputeSpan(*runtime_, name);
}

const at::Tensor& LegacyTable::local(std::size_t i) const {
  return dtensorImpl(weight_).locals()[i];
}

Chunk LegacyTable::rows(std::size_t i) const {
  if (!rowWise()) return {0, weight_.size(0)};
  const auto& mesh = *specOf(weight_).mesh;
  return chunkOf(weight_.size(0), mesh.size(), mesh.coordinate((*hosted_)[i], 0));
}

Chunk LegacyTable::columns(int rank) const {
  const auto& mesh = *specOf(weight_).mesh;
  return chunkOf(weight_.size(1), mesh.size(), mesh.coordinate(rank, 0));
}

Chunk LegacyTable::partOf(std::int64_t n, std::size_t member) const {
  if (!idsSharded_) return {0, n};
  return chunkOf(n, static_cast<int>(members_.size()), static_cast<int>(member));
}

Chunk LegacyTable::ownPart(std::int64_t n, std::size_t i) const {
  const auto at = std::find(members_.begin(), members_.end(), (*hosted_)[i]);
  return partOf(n, static_cast<std::size_t>(at - members_.begin()));
}

bool LegacyTable::alone() const { return members_.size() == 1; }

Buffers LegacyTable::gathered(const at::Tensor& tensor) const {
  return dtensorImpl(redistributeBelowAutograd(tensor, {Replicate{}}, Verdict::Implicit)).locals();
}

void LegacyTable::renorm(const at::Tensor& ids, const Buffers& gatheredIds, double maxNorm,
                         double normType) const {
  const auto& table = dtensorImpl(weight_);
  Spec spec{table.spec().mesh, {Replicate{}}, specOf(ids).meta};
  auto words = makeSharded(table.sharedRuntime(), std::move(spec), gatheredIds);
  dtensorImpl(words).setRecord(dtensorImpl(ids).record(), dtensorImpl(ids).name());
  at::Tensor written = weight_;
  at::embedding_renorm_(written, words, maxNorm, normType);
}

// Returns the parts of each buffer that belong to the ids of each member.
BufferLists LegacyTable::idParts(const Buffers& buffers) const {
  BufferLists lists;
  for (const auto& buffer : buffers) {
    auto& list = lists.emplace_back();
    for (std::size_t j = 0; j < members_.size(); ++j) {
      const auto part = partOf(buffer.size(0), j);
      list.push_back(idsSharded_ ? buffer.narrow(0, part.begin, part.length) : buffer);
    }
  }
  return lists;
}

// Returns the parts of each buffer that belong to the table columns of each member.
BufferLists LegacyTable::columnParts(const Buffers& buffers) const {
  BufferLists lists;
  for (const auto& buffer : buffers) {
    auto& list = lists.emplace_back();
    for (const int rank : members_) {
      const auto own = columns(rank);
      list.push_back(buffer.narrow(-1, own.begin, own.length));
    }
  }
  return lists;
}

Buffers LegacyTable::collected(const Buffers& lookedUp, ReduceOp op) const {
  if (alone()) return lookedUp;
  auto& comm = runtime_->comm();
  const auto& groups = runtime_->groups({0}).set();
  if (rowWise() && !idsSharded_) {
    comm.allReduce(groups, lookedUp, lookedUp, {op});
    return lookedUp;
  }
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < lookedUp.size(); ++i) {
    auto& shape = shapes.emplace_back(lookedUp[i].sizes().vec());
    if (idsSharded_) shape.front() = ownPart(shape.front(), i).length;
    shape.back() = weight_.size(1);
  }
  auto whole = emptied(lookedUp, shapes);
  if (rowWise()) {
    comm.reduceScatter(groups, idParts(lookedUp), whole, {op});
  } else {
    comm.allToAll(groups, idParts(lookedUp), columnParts(whole));
  }
  return whole;
}

at::Tensor LegacyTable::result(Shape shape, Buffers locals) const {
  const Placement placement = idsSharded_ ? Placement(Shard{0}) : Placement(Replicate{});
  auto strides = contiguousStrides(shape);
  return makeSharded(runtime_,
                     {runtime_->mesh(),
                      {placement},
                      {std::move(shape), std::move(strides), specOf(weight_).meta.dtype}},
                     std::move(locals));
}

Buffers LegacyTable::spread(const at::Tensor& gradient) const {
  if (rowWise()) return gathered(gradient);
  const Placement lies = idsSharded_ ? Placement(Shard{0}) : Placement(Replicate{});
  const auto own = redistributeBelowAutograd(gradient, {lies}, Verdict::Implicit);
  const Buffers& locals = dtensorImpl(own).locals();
  if (!idsSharded_ || alone()) {
    Buffers parts;
    for (std::size_t i = 0; i < locals.size(); ++i) {
      const auto mine = columns((*hosted_)[i]);
      parts.push_back(locals[i].narrow(-1, mine.begin, mine.length));
    }
    return parts;
  }
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < locals.size(); ++i) {
    auto& shape = shapes.emplace_back(gradient.sizes().vec());
    shape.back() = columns((*hosted_)[i]).length;
  }
  auto parts = emptied(locals, shapes);
  runtime_->comm().allToAll(runtime_->groups({0}).set(), columnParts(locals), idParts(parts));
  return parts;
}

at::Tensor LegacyTable::tableGradient(Buffers locals) const {
  const auto& table = dtensorImpl(weight_);
  return makeSharded(table.sharedRuntime(), table.spec(), std::move(locals));
}

namespace {

struct Legacy : torch::autograd::Function<Legacy> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor&,
                            c10::intrusive_ptr<LegacyOperator> op) {
    context->saved_data["operator"] = c10::IValue::make_capsule(op);
    return op->run();
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto held = context->saved_data["operator"].toCapsule();
    return {static_cast<LegacyOperator&>(*held).gradientOfTable(gradients[0]), at::Tensor()};
  }
};

}  // namespace

at::Tensor runLegacy(const std::string& name, const at::Tensor& weight, const at::Tensor& ids,
                     c10::intrusive_ptr<LegacyOperator> op) {
  Runtime& runtime = dtensorImpl(ids).runtime();
  const Span span = operatorSpan(runtime, name, {weight, ids});
  const Placements& cut = specOf(weight).placements;
  noteSingleCandidate(runtime, isShard(cut.front(), 0) ? "row-wise" : "column-wise",
                      {{weight, cut}, {ids, {Replicate{}}}}, specOf(ids).placements);
  auto result = Legacy::apply(weight, std::move(op));
  recordResult(result, runtime.resultNames().idOr(name));
  return result;
}

}  // namespace shardlens
