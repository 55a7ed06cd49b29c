#include "core/tensor/redistribute/find_plan.h"

#include "core/base/refusal.h"
#include "core/tensor/events/cache_notes.h"
#include "core/tensor/events/explain.h"
#include "core/tensor/masking/mask_policy.h"

namespace shardlens {
namespace {

// Returns the geometry of all steps, or nothing if a large group has too many pieces to cache. The
// geometry is then computed at each use.
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

}  // namespace

StepGeometry geometryOf(Runtime& runtime, const TensorMeta& meta, const TransformInfo& step) {
  return {meta, *runtime.mesh(), step, runtime.groups(step.meshDims), runtime.comm().hosted()};
}

PlanWithBuffer findPlan(Runtime& runtime, PlanKey key) {
  const auto& options = runtime.options();
  const MaskPolicy& policy = runtime.maskPolicy();
  auto& cache = runtime.planCache();
  const Spec& from = key.from->spec;
  const bool cached = options.caches != Caches::Off && policy.equalsOthers(key.buffer);
  const PlanKey& known = cached ? policy.keyOf(cache, key) : key;
  const auto hit = cached ? cache.find(known) : std::nullopt;
  if (hit) notePlanLookup(runtime, key, hit, Memo::Kept);
  if (hit && options.caches != Caches::Verified) return {hit->value, known.buffer};
  ++runtime.plans;
  auto made =
      makePlan(options.planner, options.costs, from, key.to->spec.placements, key.partialKind);
  EventId origin = hit ? hit->origin : 0;
  if (!hit) {
    origin = notePlanLookup(runtime, key, hit, cached && made ? Memo::Kept : Memo::Dropped);
  }
  Plan plan = orRefuse(std::move(made));
  if (hit && known == key) {
    refuseStale("plan", toText(from.placements, hit->value->plan), toText(from.placements, plan));
    return {hit->value, known.buffer};
  }
  notePlan(runtime, from, plan, key.partialKind);
  auto geometry = keptGeometry(runtime, from.meta, plan);
  auto prepared =
      std::make_shared<const PreparedPlan>(PreparedPlan{std::move(plan), std::move(geometry)});
  PlanWithBuffer found{prepared, key.buffer};
  if (cached) cache.insert(std::move(key), std::move(prepared), origin);
  return found;
}

}  // namespace shardlens
