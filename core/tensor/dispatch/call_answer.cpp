#include "core/tensor/dispatch/call_answer.h"

#include "core/base/refusal.h"
#include "core/ops/pricing.h"
#include "core/ops/propagator.h"
#include "core/tensor/dispatch/call_key.h"
#include "core/tensor/dispatch/output_metas.h"
#include "core/tensor/dispatch/unknown_operator.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/events/cache_notes.h"
#include "core/tensor/events/explain.h"
#include "core/tensor/masking/mask_policy.h"
#include "core/trace/records/candidates_record.h"

#include <algorithm>

namespace shardlens {
namespace {

using Args = at::ArrayRef<c10::IValue>;

class Question {
 public:
  Question(const OpEntry& entry, Args args, const CallInputs& inputs)
      : entry_(entry), args_(args), inputs_(inputs), runtime_(*inputs.runtime) {}

  CachedCallPtr operator()() {
    const Caches caches = runtime_.options().caches;
    const bool cached = caches != Caches::Off && !hasUnlikeInput() && !isSizedByData(entry_, args_);
    auto& cache = runtime_.strategyCache();
    const auto hit = cached ? cache.find(callKey(entry_, args_)) : std::nullopt;
    if (hit) {
      noteStrategyLookup(runtime_, hit->value->schema, hit, Memo::Kept);
      if (caches == Caches::Verified) verify(*hit->value);
      return hit->value;
    }
    const OpSchema schema = describeCall(entry_, args_, inputs_);
    const auto [answer, candidates] = propagatedOrNoted(schema);
    const EventId miss =
        noteStrategyLookup(runtime_, schema, std::nullopt, cached ? Memo::Kept : Memo::Dropped);
    answer->buffer = runtime_.maskPolicy().bufferFor(answer->schema, answer->strategy);
    noteCandidates(runtime_, candidates);
    if (cached) cache.insert(callKey(entry_, args_), answer, miss);
    return answer;
  }

 private:
  // Returns true if an input's placement equals no other, so that the call cannot be cached.
  bool hasUnlikeInput() const {
    return std::any_of(inputs_.tensors.begin(), inputs_.tensors.end(), [&](const auto& tensor) {
      if (!isDTensor(tensor)) return false;
      const auto* pending = dtensorImpl(tensor).pending().get();
      const auto& policy = runtime_.maskPolicy();
      return pending != nullptr && !policy.equalsOthers(policy.bufferIn(pending));
    });
  }

  struct Propagated {
    std::shared_ptr<CachedCall> answer;
    std::vector<OpStrategy> candidates;
  };

  // Records the lookup of a call that is then refused, too.
  Propagated propagatedOrNoted(const OpSchema& schema) const {
    try {
      return propagated(schema);
    } catch (...) {
      noteStrategyLookup(runtime_, schema, std::nullopt, Memo::Dropped);
      throw;
    }
  }

  Propagated propagated(OpSchema schema) const {
    const bool isUnknown = entry_.use.rule == nullptr;
    if (isUnknown) refuseUnlessWhole();
    ++runtime_.propagations;
    auto answer = std::make_shared<CachedCall>();
    answer->use = isUnknown ? RuleMatch{&wholeRule()} : entry_.use;
    for (auto& metas : outputMetas(entry_, args_, schema)) {
      answer->counts.push_back(metas.size());
      for (auto& meta : metas) schema.outputs.push_back(std::move(meta));
    }
    const auto reasons = runtime_.recorder().recordsReasons() ? Reasons::Include : Reasons::Omit;
    auto propagation = orRefuse(propagate(schema, answer->use, runtime_.options().costs, reasons));
    if (isUnknown) propagation.candidates.front().name = propagation.chosen.name = kNoRule;
    answer->strategy = std::move(propagation.chosen);
    const auto& chosen = answer->strategy;
    for (std::size_t i = 0; i < schema.outputs.size(); ++i) {
      answer->outputs.push_back(
          runtime_.layouts().of({runtime_.mesh(), chosen.outputs[i], schema.outputs[i]}));
    }
    for (const auto& tensor : inputs_.tensors) {
      answer->inputs.push_back(isDTensor(tensor) ? dtensorImpl(tensor).layout() : nullptr);
    }
    answer->schema = std::move(schema);
    answer->movesInputs = !movesNothing(chosen, answer->schema);
    answer->wanted = chosen.inputs;
    if (mayFuseMask()) fuseMask(*answer);
    return {std::move(answer), std::move(propagation.candidates)};
  }

  bool mayFuseMask() const {
    return entry_.kernel != nullptr && entry_.kernel->masks &&
           runtime_.options().masking == Masking::Fused;
  }

  // Returns true if the strategy masks more mesh dimensions of the ids than the call did.
  static bool makesMask(const Placements& current, const Placements& wanted) {
    for (std::size_t dim = 0; dim < wanted.size(); ++dim) {
      if (isMaskPartial(wanted[dim]) && wanted[dim] != current[dim]) return true;
    }
    return false;
  }

  // Has the kernel mask the ids: they are replicated instead of masked before the call.
  static void fuseMask(CachedCall& answer) {
    for (std::size_t i = 0; i < answer.wanted.size(); ++i) {
      Placements& wanted = answer.wanted[i];
      if (!makesMask(answer.schema.inputs[i].placements, wanted)) continue;
      std::replace_if(wanted.begin(), wanted.end(), isMaskPartial, Placement(Replicate{}));
      answer.fusesMask = true;
    }
  }

  // Throws Refusal if the rule now gives another strategy than the cached one.
  void verify(const CachedCall& cached) const {
    const auto found = propagated(describeCall(entry_, args_, inputs_));
    refuseStale("strategy", toText(cached.strategy), toText(found.answer->strategy));
  }

  // Throws Refusal unless an operator without a rule may run on whole tensors.
  void refuseUnlessWhole() const {
    std::string why = whyNoRule(entry_);
    if (why.empty() && runtime_.options().unknown == UnknownOperators::Replicated) {
      why = whyNotWhole(entry_);
      if (why.empty()) return;
      why = " It is not run whole" + why + ".";
    } else if (!why.empty()) {
      why = " It has none" + why + ".";
    }
    const std::string overload = entry_.op.schema().overload_name().empty() ? ".default" : "";
    throw Refusal("Operator " + entry_.name + overload +
                  " does not have a sharding strategy registered." + why);
  }

  const OpEntry& entry_;
  Args args_;
  const CallInputs& inputs_;
  Runtime& runtime_;
};

}  // namespace

CachedCallPtr callAnswer(const OpEntry& entry, Args args, const CallInputs& inputs) {
  return Question(entry, args, inputs)();
}

}  // namespace shardlens
