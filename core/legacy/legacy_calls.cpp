#include "core/legacy/legacy_calls.h"

#include "core/base/json_text.h"
#include "core/base/refusal.h"
#include "core/legacy/legacy_embedding.h"
#include "core/legacy/legacy_embedding_bag.h"
#include "core/session/scenario/json_number.h"

#include <ATen/ATen.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace shardlens {
namespace {

using nlohmann::json;

// Returns the referenced tensor, or an undefined one, which the operator itself rejects.
at::Tensor tensorOr(const StepReader& step, const json& item) {
  const bool named = item.is_string() && item.get_ref<const std::string&>().starts_with('$');
  return named ? step.named(std::string_view(item.get_ref<const std::string&>()).substr(1))
               : at::Tensor();
}

at::Tensor argument(const StepReader& step, std::size_t i) {
  const auto args = step.args();
  if (args.size() != 2) {
    throw Refusal(fmt::format("args: got {}, expected [weight, ids]", args.size()));
  }
  return tensorOr(step, args[i]);
}

// Reads keyword arguments by name. null means not given.
class Options {
 public:
  explicit Options(const StepReader& step) : step_(step), kwargs_(step.kwargs()) {
    if (!kwargs_.is_object()) {
      throw Refusal("kwargs: got " + shown(kwargs_) + ", expected names with values");
    }
  }

  // Returns the option, or nullopt if not given.
  template <class T>
  std::optional<T> take(const char* name) {
    known_.insert(name);
    const auto it = kwargs_.find(name);
    if (it == kwargs_.end() || it->is_null()) return std::nullopt;
    return as<T>(name, *it);
  }

  // Throws Refusal for keywords that were never taken. Call it last.
  void refuseOthers() const {
    for (const auto& [name, value] : kwargs_.items()) {
      if (known_.count(name) > 0) continue;
      std::string names;
      for (const auto& each : known_) names += (names.empty() ? "" : ", ") + each;
      throw Refusal("kwargs: got '" + name + "', expected some of " + names);
    }
  }

 private:
  template <class T>
  T as(const std::string& name, const json& value) const {
    const auto refused = [&](const std::string& expected) {
      return Refusal(name + ": got " + shown(value) + ", expected " + expected);
    };
    if constexpr (std::is_same_v<T, bool>) {
      if (!value.is_boolean()) throw refused("true or false");
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
      if (!isInt64(value)) throw refused("a whole number");
    } else if constexpr (std::is_same_v<T, double>) {
      // Infinity is the text "inf" or "-inf", as in answers.
      if (value == "inf" || value == "-inf") return std::stod(value.get<std::string>());
      if (!value.is_number()) throw refused("a number");
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (!value.is_string()) throw refused("text");
    } else {
      const auto tensor = tensorOr(step_, value);
      if (!tensor.defined()) throw Refusal(name + " need to be torch.Tensor");
      return tensor;
    }
    if constexpr (!std::is_same_v<T, at::Tensor>) return value.get<T>();
  }

  const StepReader& step_;
  json kwargs_;
  std::set<std::string> known_;
};

void takeShared(Options& options, LegacyOptions& into) {
  into.paddingIdx = options.take<std::int64_t>("padding_idx");
  into.maxNorm = options.take<double>("max_norm");
  into.normType = options.take<double>("norm_type").value_or(into.normType);
  into.scaleGradByFreq = options.take<bool>("scale_grad_by_freq").value_or(false);
  into.sparse = options.take<bool>("sparse").value_or(false);
}

// The arguments of a call: [weight, ids], and kwargs as in torch.nn.functional. `weight` and `ids`
// are undefined if the argument is not a reference.
template <class Options>
struct LookupCall {
  at::Tensor weight;
  at::Tensor ids;
  Options options;
};

LookupCall<LegacyOptions> readEmbedding(const StepReader& step) {
  Options options(step);
  LegacyOptions read;
  takeShared(options, read);
  options.refuseOthers();
  return {argument(step, 0), argument(step, 1), std::move(read)};
}

LookupCall<LegacyBagOptions> readEmbeddingBag(const StepReader& step) {
  Options options(step);
  LegacyBagOptions read;
  takeShared(options, read);
  read.mode = options.take<std::string>("mode").value_or(read.mode);
  read.offsets = options.take<at::Tensor>("offsets");
  read.includeLastOffset = options.take<bool>("include_last_offset").value_or(false);
  read.perSampleWeights = options.take<at::Tensor>("per_sample_weights");
  options.refuseOthers();
  return {argument(step, 0), argument(step, 1), std::move(read)};
}

at::Tensor shardedEmbedding(const StepReader& step) {
  const auto call = readEmbedding(step);
  return legacyEmbedding(call.weight, call.ids, call.options);
}

at::Tensor shardedEmbeddingBag(const StepReader& step) {
  const auto call = readEmbeddingBag(step);
  return legacyEmbeddingBag(call.weight, call.ids, call.options);
}

void renormRows(const LegacyOptions& options, const at::Tensor& weight, const at::Tensor& ids) {
  if (!options.maxNorm) return;
  auto rows = weight.detach();
  at::embedding_renorm_(rows, ids.reshape({-1}), *options.maxNorm, options.normType);
}

// Returns libtorch's number of a bag mode.
std::int64_t modeNumber(const std::string& mode) {
  return mode == "sum" ? 0 : mode == "mean" ? 1 : 2;
}

at::Tensor plainEmbedding(const StepReader& step) {
  const auto [weight, ids, options] = readEmbedding(step);
  renormRows(options, weight, ids);
  constexpr std::int64_t kNoPadding = -1;  // libtorch's value for none
  auto padding = options.paddingIdx;
  if (padding && *padding < 0) *padding += weight.size(0);
  return at::embedding(weight, ids, padding.value_or(kNoPadding));
}

at::Tensor plainEmbeddingBag(const StepReader& step) {
  const auto [weight, ids, options] = readEmbeddingBag(step);
  renormRows(options, weight, ids);
  const bool isFlat = ids.dim() == 1;
  const auto offsets =
      isFlat ? options.offsets.value()
             : at::arange(0, ids.numel(), std::max<std::int64_t>(ids.size(1), 1), ids.options());
  auto weights = options.perSampleWeights;
  if (weights) weights = weights->reshape({-1});
  return std::get<0>(at::embedding_bag(weight, ids.reshape({-1}), offsets,
                                       /*scale_grad_by_freq=*/false, modeNumber(options.mode),
                                       /*sparse=*/false, weights, options.includeLastOffset,
                                       options.paddingIdx));
}

}  // namespace

std::vector<AddedCall> legacyCalls() {
  return {{"sharded_embedding", shardedEmbedding, plainEmbedding},
          {"sharded_embedding_bag", shardedEmbeddingBag, plainEmbeddingBag}};
}

}  // namespace shardlens
