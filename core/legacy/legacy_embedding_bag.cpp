#include "core/legacy/legacy_embedding_bag.h"

#include "core/base/refusal.h"
#include "core/comm/refuse_together.h"
#include "core/memory/row_lookup.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/local/embedding_bag.h"
#include "core/tensor/runtime.h"

#include <ATen/ATen.h>

namespace shardlens {
namespace {

void refuseOtherTensors(const at::Tensor& ids, const LegacyBagOptions& options) {
  const auto& [offsets, weights] = std::tie(options.offsets, options.perSampleWeights);
  if (offsets && !isDTensor(*offsets)) throw Refusal("offsets need to be torch.Tensor");
  if (weights && !isDTensor(*weights)) throw Refusal("per_sample_weights need to be torch.Tensor");
  if (ids.dim() > 2) throw Refusal("Input more than 2 dims not supported");
  if (offsets && ids.dim() != 1) throw Refusal("Input dimension needs to be exactly 1 dim");
  if (ids.dim() < 2 && !offsets) throw Refusal("offsets is required for 1D input");
  if (offsets && offsets->dim() != 1) throw Refusal("offsets has to be a 1D Tensor");
  if (offsets && offsets->scalar_type() != at::kLong && offsets->scalar_type() != at::kInt) {
    throw Refusal("offsets: got " + std::string(dtypeName(specOf(*offsets).meta.dtype)) +
                  ", expected int64 or int32");
  }
  if (weights && weights->requires_grad()) {
    throw Refusal("per_sample_weights: got ones that require a gradient, which they do not get");
  }
  if (weights && weights->sizes() != ids.sizes()) {
    throw Refusal("per_sample_weights size " + toText(weights->sizes().vec()) +
                  " not equal to input size " + toText(ids.sizes().vec()));
  }
  for (const auto& each : {offsets, weights}) {
    if (each && dtensorImpl(*each).sharedRuntime() != dtensorImpl(ids).sharedRuntime()) {
      throw Refusal("Cross device mesh comm not supported yet!");
    }
  }
}

void refuseOtherModes(const LegacyBagOptions& options) {
  const auto& mode = options.mode;
  if (mode != "sum" && mode != "mean" && mode != "max") {
    throw Refusal("mode '" + mode + "' is not supported");
  }
  if (options.perSampleWeights && mode != "sum") {
    throw Refusal("per_sample_weights is only supported for mode='sum' (got mode='" + mode + "')");
  }
  if (options.includeLastOffset && !options.offsets) {
    throw Refusal("offsets is required for flag \"include_last_offset\"!");
  }
}

// Returns an error text if the bounds of the bags are invalid, else an empty one.
std::string wrongBounds(const at::Tensor& bounds, std::int64_t ids) {
  if (bounds.numel() == 0 || bounds[-1].item<std::int64_t>() != ids) {
    return "offsets need to have the input size in the end when the flag \"include_last_offset\" "
           "is on!";
  }
  const auto first = bounds[0].item<std::int64_t>();
  if (first != 0) return "offsets[0] has to be 0, got " + std::to_string(first);
  if (bounds.diff().lt(0).any().item<bool>()) {
    return "offsets: expected ascending ones up to " + std::to_string(ids);
  }
  return {};
}

class LegacyEmbeddingBag final : public LegacyOperator {
 public:
  LegacyEmbeddingBag(const at::Tensor& weight, at::Tensor ids, const LegacyBagOptions& options)
      : table_("nn.EmbeddingBag", weight, ids, options), ids_(std::move(ids)), options_(options) {
    refuseOtherTensors(ids_, options);
    refuseOtherModes(options);
    if (options_.paddingIdx && *options_.paddingIdx < 0) *options_.paddingIdx += weight.size(0);
    readBounds();
  }

  at::Tensor run() override {
    gatherBags();
    const bool isMax = options_.mode == "max";
    const auto lookedUp = bagged(isMax ? BagOf::Largest : BagOf::Sum);
    auto results = table_.collected(lookedUp, isMax ? ReduceOp::Max : ReduceOp::Sum);
    for (std::size_t i = 0; i < table_.hosted(); ++i) finish(results[i], i);
    return table_.result({bagCount(), table_.weight().size(1)}, std::move(results));
  }

  at::Tensor gradientOfTable(const at::Tensor& gradient) override {
    if (options_.mode == "max") {
      throw Refusal(
          "sharded_embedding_bag: got mode 'max', expected 'sum' or 'mean' for a gradient");
    }
    const auto spread = table_.spread(gradient);
    Buffers tables;
    for (std::size_t i = 0; i < table_.hosted(); ++i) {
      const auto& bags = bags_[i];
      auto rows = spread[i].index_select(0, bags.bagOf);
      if (bags.weights) rows.mul_(bags.weights->unsqueeze(1));
      if (options_.mode == "mean") {
        rows.div_(counts_[i].index_select(0, bags.bagOf).clamp_min(1).unsqueeze(1));
      }
      tables.push_back(addUp(rows, bags.ids, table_.rows(i), options_.paddingIdx));
    }
    return table_.tableGradient(std::move(tables));
  }

 private:
  std::int64_t bagCount() const {
    if (!options_.offsets) return ids_.size(0);
    return options_.offsets->size(0) - (options_.includeLastOffset ? 1 : 0);
  }

  // Sharded offsets are gathered and checked before anything else is sent.
  void readBounds() {
    if (!options_.offsets) return;
    std::string wrong;
    for (const auto& offsets : table_.gathered(*options_.offsets)) {
      const auto starts = offsets.to(at::kLong);
      const auto end = at::full({1}, ids_.numel(), starts.options());
      bounds_.push_back(options_.includeLastOffset ? starts : at::cat({starts, end}));
      wrong = wrongBounds(bounds_.back(), ids_.numel());
    }
    refuseTogether(table_.runtime().comm(), wrong);
  }

  void gatherBags() {
    const auto ids = table_.gathered(ids_);
    if (options_.maxNorm) table_.renorm(ids_, ids, *options_.maxNorm, options_.normType);
    Buffers weights;
    if (options_.perSampleWeights) weights = table_.gathered(*options_.perSampleWeights);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto starts = options_.offsets
                              ? bounds_[i].slice(0, 0, bagCount())
                              : at::arange(bagCount(), ids[i].options()).mul_(ids_.size(1));
      Bags bags{ids[i].reshape({-1}), std::nullopt, bagOfEach(starts, ids_.numel()), bagCount()};
      if (!weights.empty()) bags.weights = weights[i].reshape({-1});
      auto counted = bags.bagOf;
      if (options_.paddingIdx) {
        counted = counted.masked_select(bags.ids.ne(*options_.paddingIdx));
      }
      counts_.push_back(at::bincount(counted, {}, bagCount()));
      bags_.push_back(std::move(bags));
    }
  }

  Buffers bagged(BagOf what) const {
    const ComputeSpan span = table_.computing("embedding_bag");
    Buffers lookedUp;
    for (std::size_t i = 0; i < table_.hosted(); ++i) {
      lookedUp.push_back(
          bagOwned(table_.local(i), table_.rows(i), bags_[i], options_.paddingIdx, what));
    }
    return lookedUp;
  }

  // An empty bag has no mean and no maximum; it gives zero.
  void finish(at::Tensor& result, std::size_t i) const {
    const auto own = table_.ownPart(bagCount(), i);
    const auto counts = counts_[i].narrow(0, own.begin, own.length).unsqueeze(1);
    if (options_.mode == "mean") result.div_(counts.clamp_min(1));
    if (options_.mode == "max") result.masked_fill_(counts.eq(0), 0);
  }

  LegacyTable table_;
  at::Tensor ids_;
  LegacyBagOptions options_;
  Buffers bounds_;          // first ids of the bags and the end, per hosted rank
  std::vector<Bags> bags_;  // per hosted rank
  Buffers counts_;          // number of ids per bag, without padding
};

}  // namespace

at::Tensor legacyEmbeddingBag(const at::Tensor& weight, const at::Tensor& ids,
                              const LegacyBagOptions& options) {
  return runLegacy("sharded_embedding_bag", weight, ids,
                   c10::make_intrusive<LegacyEmbeddingBag>(weight, ids, options));
}

}  // namespace shardlens
