#include "core/inference/placed_contents.h"

#include <algorithm>
#include <tuple>

namespace shardlens {
namespace {

bool isBefore(const PlainState& a, const PlainState& b) {
  return std::tie(a.tensor, a.event) < std::tie(b.tensor, b.event);
}

}  // namespace

std::vector<InferredPlacement> alongAll(const std::vector<InferredPlacement>& placements,
                                        const std::vector<std::size_t>& axes, std::size_t count) {
  std::vector<InferredPlacement> all(count);
  for (std::size_t i = 0; i < placements.size(); ++i) all[axes[i]] = placements[i];
  return all;
}

PlacedContents::PlacedContents(const PlainGraph& graph) : states_(graph.states) {
  std::stable_sort(states_.begin(), states_.end(), isBefore);
}

PlacedContents::PlacedContents(std::vector<PlacedContents> programs,
                               std::vector<std::vector<std::size_t>> axes, std::size_t count)
    : programs_(std::move(programs)), axesOf_(std::move(axes)), count_(count) {}

void PlacedContents::renumber(const std::function<EventId(EventId)>& eventOf,
                              const std::function<TensorId(TensorId)>& tensorOf) {
  for (auto& state : states_) {
    state = {tensorOf(state.tensor), eventOf(state.event), state.variable};
  }
  std::erase_if(states_, [](const auto& state) { return state.tensor == 0 || state.event == 0; });
  std::stable_sort(states_.begin(), states_.end(), isBefore);
  for (auto& axis : axes_) {
    for (auto& placed : axis) placed.event = eventOf(placed.event);
  }
  for (auto& [of, stated] : types_) stated.second = eventOf(stated.second);
}

void PlacedContents::addAxis(const PlacementSolver& solver, PlacementCodes& codes,
                             const std::vector<bool>& differs) {
  const int sum = codes.codeOf(Partial{});
  auto& placed = axes_.emplace_back(differs.size());
  for (std::size_t variable = 0; variable < placed.size(); ++variable) {
    auto& found = placed[variable];
    if (solver.isContradicted(variable)) {
      found.code = kContradicted;
      continue;
    }
    const Domain domain = solver.of(variable);
    std::optional<int> code = onlyOf(domain);
    if (domain == codes.partialSums()) code = sum;
    if (!code || *code == PlacementCodes::kOther) continue;
    if (differs[variable] && *code == PlacementCodes::kReplicate) {
      found.code = kContradicted;
      continue;
    }
    const Evidence& evidence = solver.evidenceOf(variable);
    found = {static_cast<std::int8_t>(*code), evidence.kind, evidence.event};
  }
  codes_ = codes;
}

InferredPlacement PlacedContents::of(std::size_t variable, std::size_t axis) const {
  const Placed& placed = axes_[axis][variable];
  if (placed.code == kContradicted) return {.isContradicted = true};
  const auto stated = types_.find({axis, variable});
  const auto type = stated == types_.end() ? std::nullopt : std::optional(stated->second.first);
  if (placed.code < 0) {
    if (type != LocalType::Varying) return {};
    return {.type = type, .evidence = {EvidenceKind::Claim, stated->second.second}};
  }
  const Placement placement = placed.code == PlacementCodes::kReplicate
                                  ? Placement(Replicate{})
                                  : codes_.placementOf(placed.code);
  const bool isInvariant = type == LocalType::Invariant && isReplicate(placement);
  return {.placement = placement,
          .type = isInvariant ? type : std::nullopt,
          .evidence = {placed.kind, placed.event}};
}

std::vector<InferredPlacement> PlacedContents::at(TensorId tensor, EventId event) const {
  if (!programs_.empty()) return joinedAt(tensor, event);
  const auto after =
      std::upper_bound(states_.begin(), states_.end(), PlainState{tensor, event, 0}, isBefore);
  std::vector<InferredPlacement> found;
  if (after == states_.begin() || std::prev(after)->tensor != tensor) return found;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    found.push_back(of(std::prev(after)->variable, axis));
  }
  return found;
}

std::vector<InferredPlacement> PlacedContents::joinedAt(TensorId tensor, EventId event) const {
  std::vector<InferredPlacement> joined;
  for (std::size_t program = 0; program < programs_.size(); ++program) {
    const auto found = programs_[program].at(tensor, event);
    if (found.empty()) continue;
    const auto its = alongAll(found, axesOf_[program], count_);
    if (joined.empty()) joined = its;
    for (std::size_t axis = 0; axis < count_; ++axis) {
      if (joined[axis].placement != its[axis].placement) joined[axis] = {};
    }
  }
  return joined;
}

}  // namespace shardlens
