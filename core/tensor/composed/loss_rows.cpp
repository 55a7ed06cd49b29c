#include "core/tensor/composed/loss_rows.h"

#include "core/memory/dtypes.h"
#include "core/memory/kernel_calls.h"
#include "core/memory/parallel_for.h"
#include "core/model/shard_geometry.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/events/compute_span.h"
#include "core/tensor/runtime.h"
#include "kernels/cross_entropy.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

namespace shardlens {
namespace {

constexpr std::int64_t kSum = 0, kDot = 1, kMass = 2;

// Sums are float32, or float64 for float64 logits.
at::TensorOptions sumOptions(const at::Tensor& logits) {
  return logits.options().dtype(logits.scalar_type() == at::kDouble ? at::kDouble : at::kFloat);
}

// [N, C, d...] -> [N * d..., C]
at::Tensor asRows(const at::Tensor& local, std::int64_t classDim) {
  std::int64_t rows = 1;
  for (std::int64_t dim = 0; dim < local.dim(); ++dim) {
    if (dim != classDim) rows *= local.size(dim);
  }
  return local.movedim(classDim, -1).reshape({rows, local.size(classDim)}).contiguous();
}

// Inverse of asRows().
at::Tensor asLogits(const at::Tensor& rows, const at::Tensor& like, std::int64_t classDim) {
  auto shape = like.sizes().vec();
  shape.erase(shape.begin() + classDim);
  shape.push_back(like.size(classDim));
  return rows.view(shape).movedim(-1, classDim).contiguous();
}

// Returns the weights of the classes of a shard.
at::Tensor taken(const at::Tensor& weight, const Runs& classes) {
  if (classes.size() == 1) {
    return weight.narrow(0, classes.front().begin, classes.front().length).contiguous();
  }
  std::vector<at::Tensor> pieces{weight.narrow(0, 0, 0)};
  for (const auto& run : classes) pieces.push_back(weight.narrow(0, run.begin, run.length));
  return at::cat(pieces);
}

// One hosted rank's operands, as the kernels take them.
class Part {
 public:
  Part(const LossTensors& tensors, const LossOptions& options, std::size_t i) {
    const auto& impl = dtensorImpl(tensors.logits);
    const Spec& spec = impl.spec();
    const auto classDim = classDimOf(spec.meta.ndim());
    logits_ = asRows(impl.locals()[i], classDim);
    const int rank = impl.runtime().comm().hosted()[i];
    const Runs classes = ownedRuns(spec.meta.shape, *spec.mesh, spec.placements,
                                   rank)[static_cast<std::size_t>(classDim)];
    for (const auto& run : classes) runs_.push_back({run.begin, run.length});
    const auto& target = dtensorImpl(tensors.target).locals()[i];
    if (options.probabilities) {
      target_ = asRows(target, classDim);
      aim_.kind = kernels::TargetKind::Probabilities;
      aim_.probabilities = target_.const_data_ptr();
    } else {
      target_ = target.contiguous();
      aim_.ids = kernelIds(target_);
      aim_.ignored = options.ignored;
    }
    if (tensors.weight.defined()) {
      weight_ = taken(dtensorImpl(tensors.weight).locals()[i], classes);
      aim_.weight = weight_.const_data_ptr();
    }
    aim_.hard = 1 - options.smoothing;
    aim_.soft = options.smoothing / static_cast<double>(tensors.logits.size(classDim));
  }

  const at::Tensor& logits() const { return logits_; }
  std::int64_t rows() const { return logits_.size(0); }
  Work work() const {
    const auto bytes =
        std::max<std::int64_t>(logits_.size(1), 1) * static_cast<std::int64_t>(logits_.itemsize());
    return {rows(), bytes};
  }
  kernels::LogitShard shard() const {
    return {logits_.const_data_ptr(), *kernelFloats(logits_.scalar_type()), logits_.size(1)};
  }
  kernels::LossTarget aim() const {
    auto aim = aim_;
    aim.runs = runs_.data();
    aim.runCount = static_cast<std::int64_t>(runs_.size());
    return aim;
  }

 private:
  at::Tensor logits_;
  at::Tensor target_;
  at::Tensor weight_;
  std::vector<kernels::RowRange> runs_;
  kernels::LossTarget aim_;
};

std::vector<Part> partsOf(const LossTensors& tensors, const LossOptions& options) {
  std::vector<Part> parts;
  const auto count = dtensorImpl(tensors.logits).locals().size();
  for (std::size_t i = 0; i < count; ++i) parts.emplace_back(tensors, options, i);
  return parts;
}

kernels::RowSums pointers(const at::Tensor& max, const at::Tensor& terms) {
  const auto row = [&](std::int64_t i) { return terms.select(0, i).mutable_data_ptr(); };
  return {max.mutable_data_ptr(), row(kSum), row(kMass), row(kDot)};
}

// Calls run(part, rows) for ranges of rows on torch's threads, or once per part on a GPU. Does
// nothing without data.
template <class Run>
void compute(Runtime& runtime, const std::vector<Part>& parts, const std::string& name, Run run) {
  const ComputeSpan span(runtime, name);
  std::vector<Work> work;
  work.reserve(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].logits().is_meta()) return;
    if (parts[i].logits().is_cuda()) run(i, kernels::RowRange{0, parts[i].rows()});
    work.push_back(parts[i].logits().is_cuda() ? Work{0, 1} : parts[i].work());
  }
  parallelFor(work, [&](std::size_t i, std::int64_t begin, std::int64_t end) {
    run(i, kernels::RowRange{begin, end - begin});
  });
}

// Converts a shard's sums from its own maximum to the maximum over all shards. A shard with only
// -inf, or without classes, took its exponentials about 0; it adds nothing.
void rebase(const at::Tensor& terms, const at::Tensor& own, const at::Tensor& max, double lowest) {
  const auto shift = own.clamp_min(lowest).sub_(max);
  terms[kSum].mul_(shift.exp());
  terms[kDot].addcmul_(terms[kMass], shift);
}

// Returns the mass over all classes. Computed from the target and the weight, which are replicated
// along the classes.
at::Tensor wholeMass(const LossTensors& tensors, const LossOptions& options, std::size_t i,
                     const at::Tensor& rowWeights) {
  if (options.smoothing == 0) return rowWeights;
  const auto classes = tensors.logits.size(classDimOf(tensors.logits.dim()));
  const auto counts =
      dtensorImpl(tensors.target).locals()[i].flatten().ne(options.ignored).to(rowWeights.dtype());
  const auto mean =
      tensors.weight.defined()
          ? dtensorImpl(tensors.weight).locals()[i].sum(rowWeights.scalar_type()) / classes
          : at::ones({}, rowWeights.options());
  return rowWeights.mul(1 - options.smoothing).add_(counts.mul_(mean), options.smoothing);
}

}  // namespace

LossSums lossSums(const LossTensors& tensors, const LossOptions& options,
                  const LossLayout& layout) {
  const auto parts = partsOf(tensors, options);
  LossSums sums;
  for (const auto& part : parts) {
    sums.max.push_back(at::empty({part.rows()}, sumOptions(part.logits())));
    sums.terms.push_back(at::empty({3, part.rows()}, sumOptions(part.logits())));
  }
  Runtime& runtime = dtensorImpl(tensors.logits).runtime();
  compute(runtime, parts, "sums of rows", [&](std::size_t i, kernels::RowRange rows) {
    kernel_calls::sumRows(parts[i].logits(), parts[i].shard(), parts[i].aim(), rows,
                          pointers(sums.max[i], sums.terms[i]));
  });
  if (layout.cutClasses.empty()) return sums;

  const GroupSet& groups = runtime.groups(layout.cutClasses).set();
  Buffers own;
  for (const auto& max : sums.max) own.push_back(max.clone());
  runtime.comm().allReduce(groups, own, sums.max, {ReduceOp::Max});
  Buffers added;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool isDouble = own[i].scalar_type() == at::kDouble;
    rebase(sums.terms[i], own[i], sums.max[i],
           isDouble ? std::numeric_limits<double>::lowest() : std::numeric_limits<float>::lowest());
    added.push_back(sums.terms[i].narrow(0, 0, options.probabilities ? 3 : kMass));
  }
  runtime.comm().allReduce(groups, added, added, {ReduceOp::Sum});
  if (options.probabilities) return sums;
  const auto weights = rowWeights(tensors, options);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    sums.terms[i][kMass].copy_(wholeMass(tensors, options, i, weights[i]));
  }
  return sums;
}

Buffers rowLosses(const LossSums& sums) {
  Buffers losses;
  for (const auto& terms : sums.terms) {
    losses.push_back(terms[kSum].log().mul_(terms[kMass]).sub_(terms[kDot]));
  }
  return losses;
}

Buffers rowWeights(const LossTensors& tensors, const LossOptions& options) {
  Buffers weights;
  const auto& logits = dtensorImpl(tensors.logits).locals();
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const auto target = dtensorImpl(tensors.target).locals()[i].flatten();
    const auto counts = target.ne(options.ignored);
    auto weight = counts.to(sumOptions(logits[i]).dtype());
    if (tensors.weight.defined()) {
      const auto& ofClass = dtensorImpl(tensors.weight).locals()[i];
      weight.mul_(ofClass.index({target.masked_fill(counts.bitwise_not(), 0)}));
    }
    weights.push_back(std::move(weight));
  }
  return weights;
}

Buffers logitGradients(const LossTensors& tensors, const LossOptions& options, const LossSums& sums,
                       const Buffers& gradients) {
  const auto parts = partsOf(tensors, options);
  const auto& locals = dtensorImpl(tensors.logits).locals();
  const auto classDim = classDimOf(tensors.logits.dim());
  Buffers rows, wide;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    rows.push_back(at::empty_like(parts[i].logits()));
    wide.push_back(gradients[i].to(sums.max[i].scalar_type()).contiguous());
  }
  Runtime& runtime = dtensorImpl(tensors.logits).runtime();
  compute(runtime, parts, "gradients", [&](std::size_t i, kernels::RowRange range) {
    const std::int64_t stride = wide[i].dim() == 0 ? 0 : 1;
    kernel_calls::gradRows(parts[i].logits(), parts[i].shard(), parts[i].aim(), range,
                           pointers(sums.max[i], sums.terms[i]), {wide[i].const_data_ptr(), stride},
                           rows[i].mutable_data_ptr());
  });
  for (std::size_t i = 0; i < parts.size(); ++i) rows[i] = asLogits(rows[i], locals[i], classDim);
  return rows;
}

}  // namespace shardlens
