#include "core/tensor/redistribute/redistribute.h"

#include "core/base/check.h"
#include "core/base/refusal.h"
#include "core/model/shard_geometry.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/events/explain.h"
#include "core/tensor/id_check.h"
#include "core/tensor/masking/mask_policy.h"
#include "core/tensor/owned_rows.h"
#include "core/tensor/redistribute/find_plan.h"
#include "core/tensor/redistribute/transform.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace shardlens {
namespace {

Placements verified(const Spec& spec, const Placements& target) {
  return orRefuse(verifyPlacements(target, *spec.mesh, spec.meta.ndim()));
}

// Returns the mask that a step creates, or null.
const MaskPartial* maskMadeBy(const TransformInfo& step) {
  if (step.move != Move::MakePartial) return nullptr;
  return std::get_if<MaskPartial>(&step.to[static_cast<std::size_t>(step.meshDims.front())]);
}

bool sendsNothing(const Plan& plan) {
  return std::none_of(plan.begin(), plan.end(),
                      [](const auto& step) { return isCollective(step.move); });
}

// One redistribution: its plan, and its open span in the recording.
class Redistribution {
 public:
  Redistribution(const at::Tensor& tensor, const Placements& target, Verdict cause,
                 const MaskRecordPtr& buffer)
      : source_(dtensorImpl(tensor)),
        runtime_(source_.runtime()),
        cause_(cause),
        name_(nameOfResult()),
        span_(runtime_.recorder(), redistributeEvent(runtime_, source_, target, cause)),
        target_(runtime_.layouts().of({source_.spec().mesh, target, source_.spec().meta})),
        found_(findPlan(runtime_, {source_.layout(), target_, partialKind(), buffer})) {}

  at::Tensor move() {
    const auto& pending = source_.pending();
    auto [locals, runningCollective] =
        carriedOut(pending == nullptr ? Pace::Async : Pace::Complete);
    if (pending) pending->release();
    auto result = makeSharded(source_.sharedRuntime(), target_, std::move(locals));
    dtensorImpl(result).setRunningCollective(runningCollective);
    recordResult(result, name_);
    return result;
  }

  // Creates masks last, from the redistributed ids, for all masked mesh dimensions together.
  at::Tensor mask() {
    const MaskPartial& masked = maskMade();
    refuseBadIds("redistribute to " + toText(Placement(masked)), source_,
                 masked.offsetShape[static_cast<std::size_t>(masked.offsetDim)]);
    auto locals = carriedOut(Pace::Complete).locals;
    Buffers ids, masks;
    for (std::size_t i = 0; i < locals.size(); ++i) {
      const Chunk rows = ownedRows(*runtime_.mesh(), target_->spec.placements, masked,
                                   runtime_.comm().hosted()[i]);
      masks.push_back((locals[i] < rows.begin).bitwise_or_(locals[i] >= rows.begin + rows.length));
      ids.push_back((locals[i] - rows.begin).masked_fill_(masks.back(), 0));
    }
    auto hold = runtime_.maskPolicy().hold(masked, masks, runtime_.comm(), name_, found_.buffer);
    auto result = makeSharded(source_.sharedRuntime(), target_, std::move(ids));
    dtensorImpl(result).setPending(std::move(hold));
    dtensorImpl(result).setUnmasked(std::move(locals));
    recordResult(result, name_);
    return result;
  }

 private:
  std::string nameOfResult() const {
    const std::string derived = source_.name() + "'";
    return cause_ == Verdict::Explicit ? runtime_.resultNames().idOr(derived) : derived;
  }

  PartialKind partialKind() const {
    return source_.ownedRows() == nullptr ? PartialKind::Any : PartialKind::OwnedRows;
  }

  const MaskPartial& maskMade() const {
    const MaskPartial* masked = nullptr;
    for (const auto& step : found_.plan->plan) {
      if (masked == nullptr) masked = maskMadeBy(step);
    }
    SL_CHECK(masked != nullptr, "a plan that masks ids");
    return *masked;
  }

  // Executes all steps except mask creation, and returns the new locals.
  Moved carriedOut(Pace pace) const {
    const Plan& plan = found_.plan->plan;
    const bool movesRows = !plan.empty() && movesOwnedRows(plan.front().move);
    const auto rows = movesRows ? source_.ownedRows() : nullptr;
    // If nothing is sent, the result may share the source's memory.
    const Buffers before = rows != nullptr      ? Buffers()
                           : sendsNothing(plan) ? source_.locals()
                                                : source_.readLocals();
    Moved moved{before};
    if (const auto& pending = source_.pending()) pending->apply(before, source_.record());
    for (std::size_t i = 0; i < plan.size(); ++i) {
      if (maskMadeBy(plan[i]) != nullptr) continue;
      const bool isLast = i + 1 == plan.size();
      const auto move = [&](const StepGeometry& geometry) -> Moved {
        if (movesOwnedRows(plan[i].move)) return {rows->moved(runtime_, plan[i], geometry)};
        return transform(runtime_, plan[i], geometry, moved.locals, isLast ? pace : Pace::Complete);
      };
      moved = found_.plan->geometry.empty()
                  ? move(geometryOf(runtime_, target_->spec.meta, plan[i]))
                  : move(found_.plan->geometry[i]);
    }
    // The program may write on the result of an explicit redistribution, so no local is shared.
    if (cause_ == Verdict::Explicit) {
      for (std::size_t i = 0; i < before.size(); ++i) {
        if (moved.locals[i].is_same(before[i])) moved.locals[i] = moved.locals[i].clone();
      }
    }
    return moved;
  }

  const DTensorImpl& source_;
  Runtime& runtime_;
  Verdict cause_;
  std::string name_;
  Span span_;
  LayoutPtr target_;
  PlanWithBuffer found_;
};

// Returns the original ids of masked ids: every redistribution of masked ids starts from these.
at::Tensor unmasked(const at::Tensor& tensor) {
  const auto& masked = dtensorImpl(tensor);
  if (!masked.areMaskedIds()) return tensor;
  Spec spec = masked.spec();
  std::replace_if(spec.placements.begin(), spec.placements.end(), isMaskPartial,
                  Placement(Replicate{}));
  auto ids = makeSharded(masked.sharedRuntime(), std::move(spec), masked.unmasked());
  dtensorImpl(ids).setRecord(masked.record(), masked.name());
  return ids;
}

// Returns an alias, for placements that are equal already.
at::Tensor aliasOf(const at::Tensor& tensor) {
  const auto& source = dtensorImpl(tensor);
  const std::string& id = source.runtime().resultNames().id();
  at::Tensor alias(source.aliased());
  if (!id.empty()) recordResult(alias, id);
  return alias;
}

}  // namespace

at::Tensor redistributeBelowAutograd(const at::Tensor& tensor, const Placements& target,
                                     Verdict cause) {
  const auto placements = verified(specOf(tensor), target);
  if (placements == specOf(tensor).placements) return aliasOf(tensor);
  if (hasMask(placements)) {
    return redistributeIds(tensor, placements, cause).ids;
  }
  const at::Tensor source = unmasked(tensor);
  if (placements == specOf(source).placements) return aliasOf(source);
  const auto& impl = dtensorImpl(source);
  const auto buffer = impl.runtime().maskPolicy().bufferIn(impl.pending().get());
  return Redistribution(source, placements, cause, buffer).move();
}

MaskedIds redistributeIds(const at::Tensor& ids, const Placements& target, Verdict cause,
                          const MaskRecordPtr& buffer) {
  const auto placements = verified(specOf(ids), target);
  const at::Tensor source = reducedIds(unmasked(ids));
  const at::Tensor masked = Redistribution(source, placements, cause, buffer).mask();
  const auto& impl = dtensorImpl(masked);
  return {masked, impl.runtime().maskPolicy().resultHold(impl.pending(), buffer)};
}

bool hasPartialIds(const at::Tensor& ids) {
  if (!isDTensor(ids) || dtensorImpl(ids).areMaskedIds()) return false;
  const auto& placements = specOf(ids).placements;
  return std::any_of(placements.begin(), placements.end(), isPartial);
}

at::Tensor reducedIds(const at::Tensor& ids) {
  if (!hasPartialIds(ids)) return ids;
  auto target = specOf(ids).placements;
  std::replace_if(target.begin(), target.end(), isPartial, Placement(Replicate{}));
  return redistributeBelowAutograd(ids, target, Verdict::Implicit);
}

}  // namespace shardlens
