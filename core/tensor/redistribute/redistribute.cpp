#include "core/tensor/redistribute/redistribute.h"

#include "core/base/refusal.h"
#include "core/model/shard_geometry.h"
#include "core/tensor/caches/plan_cache.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/emulated_keys.h"
#include "core/tensor/events/cache_notes.h"
#include "core/tensor/events/explain.h"
#include "core/tensor/id_check.h"
#include "core/tensor/owned_rows.h"
#include "core/tensor/redistribute/transform.h"
#include "core/tensor/runtime.h"
#include "core/tensor/values/recording.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace shardlens {
namespace {

StepGeometry geometryOf(Runtime& runtime, const TensorMeta& meta, const TransformInfo& step) {
  return {meta, *runtime.mesh(), step, runtime.groups(step.meshDims), runtime.comm().hosted()};
}

// Of large groups the pieces are many, and are told anew each time rather than kept.
std::vector<StepGeometry> keptGeometry(Runtime& runtime, const TensorMeta& meta, const Plan& plan) {
  constexpr std::size_t kMostPieces = 256;
  std::vector<StepGeometry> all;
  for (const auto& step : plan) {
    const bool whole = !isCollective(step.move) || step.move == Move::AllReduce ||
                       step.move == Move::AllGatherRows;
    const auto members = static_cast<std::size_t>(runtime.groups(step.meshDims).groupSize());
    if (!whole && members * runtime.comm().hosted().size() > kMostPieces) return {};
    all.push_back(geometryOf(runtime, meta, step));
  }
  return all;
}

PlanPtr planFor(Runtime& runtime, PlanKey key) {
  const auto& options = runtime.options();
  auto& cache = runtime.planCache();
  const LayoutPtr& from = key.from;
  const LayoutPtr& to = key.to;
  const bool cached = options.caches != Caches::Off && !equalsNoOther(key.buffer);
  const auto alike = cached ? eldestAlike(cache, key) : std::nullopt;
  const auto hit = cached ? cache.find(alike ? *alike : key) : std::nullopt;
  if (hit) notePlanLookup(runtime, key, hit, Memo::Kept);
  if (hit && options.caches != Caches::Verified) return hit->value;
  ++runtime.plans;
  auto made = makePlan(options.planner, options.costs, from->spec, to->spec.placements, key.terms);
  if (!hit) {
    notePlanLookup(runtime, key, hit, cached && made ? Memo::Kept : Memo::Dropped);
  }
  Plan plan = orRefuse(std::move(made));
  if (hit && !alike) {
    refuseStale("plan", toText(from->spec.placements, hit->value->plan),
                toText(from->spec.placements, plan));
    return hit->value;
  }
  notePlan(runtime, from->spec, plan, key.terms);
  auto geometry = keptGeometry(runtime, from->spec.meta, plan);
  auto prepared = std::make_shared<const PreparedPlan>(
      PreparedPlan{std::move(plan), std::move(geometry), key.buffer});
  if (cached) cache.insert(std::move(key), prepared);
  return prepared;
}

struct MaskedIds {
  Buffers ids;
  std::shared_ptr<MaskHold> pending;
};

// Masked ids are the same ids in another guise: whatever they are to become starts from them as
// they were.
at::Tensor unmasked(const DTensorImpl& masked) {
  Spec spec = masked.spec();
  for (auto& placement : spec.placements) {
    if (isMaskPartial(placement)) placement = Replicate{};
  }
  auto ids = makeSharded(masked.sharedRuntime(), std::move(spec), masked.unmasked());
  dtensorImpl(ids).setRecord(masked.record(), masked.name());
  return ids;
}

MaskedIds maskIds(Runtime& runtime, const Placements& target, const MaskPartial& masked,
                  const Buffers& locals, const std::string& name, const MaskRecordPtr& buffer) {
  const auto& ranks = runtime.comm().hosted();
  Buffers ids, masks;
  for (std::size_t i = 0; i < locals.size(); ++i) {
    const Chunk rows = ownedRows(*runtime.mesh(), target, masked, ranks[i]);
    masks.push_back((locals[i] < rows.begin).bitwise_or_(locals[i] >= rows.begin + rows.length));
    ids.push_back((locals[i] - rows.begin).masked_fill_(masks.back(), 0));
  }
  return {std::move(ids), runtime.masks().hold(masked, masks, runtime.comm(), name, buffer)};
}

// Null where the step makes no masks.
const MaskPartial* maskMadeBy(const TransformInfo& step) {
  if (step.move != Move::Terms) return nullptr;
  return std::get_if<MaskPartial>(&step.to[static_cast<std::size_t>(step.meshDims.front())]);
}

const MaskPartial* maskMadeBy(const Plan& plan) {
  for (const auto& step : plan) {
    if (const auto* masked = maskMadeBy(step)) return masked;
  }
  return nullptr;
}

bool sendsNothing(const Plan& plan) {
  return std::none_of(plan.begin(), plan.end(),
                      [](const auto& step) { return isCollective(step.move); });
}

at::Tensor run(const DTensorImpl& source, const LayoutPtr& target, const PreparedPlan& prepared,
               const std::string& name, Verdict cause) {
  const Plan& plan = prepared.plan;
  Runtime& runtime = source.runtime();
  const auto* masked = maskMadeBy(plan);
  if (masked != nullptr) {
    refuseBadIds("redistribute to " + toText(Placement(*masked)), source,
                 masked->offsetShape[static_cast<std::size_t>(masked->offsetDim)]);
  }
  const bool movesRows = !plan.empty() && movesOwnedRows(plan.front().move);
  const auto rows = movesRows ? source.ownedRows() : nullptr;
  // Where nothing is sent, the result may show the source's own memory.
  const Buffers before = rows != nullptr      ? Buffers()
                         : sendsNothing(plan) ? source.locals()
                                              : source.lookAtLocals();
  Buffers locals = before;
  auto pending = source.pending();
  if (pending) pending->apply(locals, source.record());
  // Ids are masked here once they have arrived, and a pending result may be masked again meanwhile.
  const bool mayGoOn = masked == nullptr && pending == nullptr;
  std::uint64_t underWay = 0;
  // Masks are made last, of the ids as they lie then, and by all their mesh dimensions together.
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (maskMadeBy(plan[i]) != nullptr) continue;
    const bool isLast = i + 1 == plan.size();
    const auto move = [&](const StepGeometry& geometry) -> Moved {
      if (movesOwnedRows(plan[i].move)) return {rows->moved(runtime, plan[i], geometry)};
      return transform(runtime, plan[i], geometry, locals,
                       isLast && mayGoOn ? Pace::MayGoOn : Pace::Complete);
    };
    auto moved = prepared.geometry.empty() ? move(geometryOf(runtime, target->spec.meta, plan[i]))
                                           : move(prepared.geometry[i]);
    locals = std::move(moved.locals);
    underWay = moved.underWay;
  }
  if (pending) pending->release();
  // What a program asked for and may change is its own, also where nothing had to be sent.
  if (cause == Verdict::Explicit) {
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (locals[i].is_same(before[i])) locals[i] = locals[i].clone();
    }
  }
  if (masked == nullptr) {
    auto result = makeSharded(source.sharedRuntime(), target, std::move(locals));
    dtensorImpl(result).setUnderWay(underWay);
    return result;
  }
  auto made = maskIds(runtime, target->spec.placements, *masked, locals, name, prepared.buffer);
  auto result = makeSharded(source.sharedRuntime(), target, std::move(made.ids));
  dtensorImpl(result).setPending(std::move(made.pending));
  dtensorImpl(result).setUnmasked(std::move(locals));
  return result;
}

}  // namespace

at::Tensor redistributeBelowAutograd(const at::Tensor& tensor, const Placements& target,
                                     Verdict cause, const MaskRecordPtr& buffer) {
  const auto& source = dtensorImpl(tensor);
  Runtime& runtime = source.runtime();
  const std::string stepName = runtime.recorder().resultName();
  const auto placements =
      orRefuse(verifyPlacements(target, *source.spec().mesh, source.spec().meta.ndim()));
  if (placements == source.spec().placements) {
    const at::Tensor alias(source.aliased());
    if (!stepName.empty()) recordResult(alias, stepName);
    return alias;
  }
  if (source.areMaskedIds()) {
    return redistributeBelowAutograd(unmasked(source), placements, cause, buffer);
  }
  const bool masks = std::any_of(placements.begin(), placements.end(), isMaskPartial);
  if (masks && hasTermsOfIds(tensor)) {
    return redistributeBelowAutograd(reducedIds(tensor), placements, cause, buffer);
  }
  const bool isStep = cause == Verdict::Explicit && !stepName.empty();
  const std::string name = isStep ? stepName : source.name() + "'";
  const Span span(runtime.recorder(), redistributeEvent(runtime, source, placements, cause));
  const LayoutPtr layout =
      runtime.layouts().of({source.spec().mesh, placements, source.spec().meta});
  const auto& held = source.pending();
  const TermKind terms = source.ownedRows() == nullptr ? TermKind::Any : TermKind::OwnedRows;
  const PlanPtr plan =
      planFor(runtime, {source.layout(), layout, terms, held ? held->remembered() : buffer});
  auto result = run(source, layout, *plan, name, cause);
  recordResult(result, name);
  return result;
}

bool hasTermsOfIds(const at::Tensor& ids) {
  if (!isDTensor(ids) || dtensorImpl(ids).areMaskedIds()) return false;
  const auto& placements = specOf(ids).placements;
  return std::any_of(placements.begin(), placements.end(), isPartial);
}

at::Tensor reducedIds(const at::Tensor& ids) {
  if (!hasTermsOfIds(ids)) return ids;
  auto target = specOf(ids).placements;
  std::replace_if(target.begin(), target.end(), isPartial, Placement(Replicate{}));
  return redistributeBelowAutograd(ids, target, Verdict::Implicit);
}

}  // namespace shardlens
