#include "core/inference/inference.h"

#include "core/inference/graph.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace shardlens {
namespace {

constexpr std::size_t kMostOperations = 200'000;

// Adds the values as facts. Returns the variables whose values differ at some event. One whose
// values were equal before counts as whole, so that the reason of the difference can be found.
// Nothing is known of one whose values were constant before: a shard or a replica that has
// diverged.
std::set<std::size_t> addContents(const PlainGraph& graph, const std::vector<Likeness>& likeness,
                                  PlacementSolver& solver) {
  constexpr Domain kReplicate = Domain{1} << PlacementCodes::kReplicate;
  std::set<std::size_t> seenBefore, equal, different;
  for (std::size_t i = 0; i < likeness.size(); ++i) {
    const auto& seen = graph.occurrences[i];
    const bool isFirst = seenBefore.insert(seen.variable).second;
    if (likeness[i] == Likeness::Equal && equal.insert(seen.variable).second) {
      solver.restrict(seen.variable, kReplicate, {EvidenceKind::EqualValues, seen.event});
    }
    if (likeness[i] != Likeness::Different) continue;
    different.insert(seen.variable);
    if (!isFirst) continue;
    solver.restrict(seen.variable, ~kReplicate, {EvidenceKind::DifferentValues, seen.event});
  }
  // A parameter that differs although its gradient does not is no shard, but copies that differ.
  for (const auto& [parameter, gradient] : graph.gradients) {
    if (different.contains(parameter) && equal.contains(gradient)) solver.contradict(parameter);
  }
  return different;
}

// `differs`: the values of the variable differ at some event.
InferredPlacement placementOf(const PlacementSolver& solver, PlacementCodes& codes,
                              std::size_t variable, bool differs) {
  if (solver.isContradicted(variable)) return {.isContradicted = true};
  InferredPlacement found;
  const Domain domain = solver.of(variable);
  if (domain == codes.partialSums()) {
    found.placement = Partial{};
  } else if (const auto code = onlyOf(domain); code && *code != PlacementCodes::kOther) {
    found.placement =
        *code == PlacementCodes::kReplicate ? Placement(Replicate{}) : codes.placementOf(*code);
  }
  if (differs && found.placement && isReplicate(*found.placement)) return {.isContradicted = true};
  if (found.placement) found.evidence = solver.evidenceOf(variable);
  return found;
}

// Adds the placement of another occurrence of the tensor. Occurrences that disagree contradict each
// other.
void combine(InferredPlacement& known, const InferredPlacement& other) {
  const bool disagrees = known.placement && other.placement && *known.placement != *other.placement;
  if (known.isContradicted || other.isContradicted || disagrees) {
    known = {.isContradicted = true};
  } else if (other.placement) {
    known = other;
  }
}

}  // namespace

InferredPlacements inferPlacements(const Journal& journal, const std::vector<RankAxis>& given) {
  InferredPlacements result;
  PlainGraph graph = readPlainGraph(journal, kMostOperations);
  findConstants(graph);
  if (graph.occurrences.empty()) return result;
  result.axes = inferAxes(journal, given);
  result.isCut = graph.isCut;
  std::map<std::pair<PlainRole, std::string>, std::size_t> places;
  for (const auto& seen : graph.occurrences) {
    const auto [place, isNew] = places.try_emplace({seen.role, seen.name}, result.tensors.size());
    if (isNew) result.tensors.push_back({.role = seen.role, .name = seen.name});
    InferredTensor& tensor = result.tensors[place->second];
    tensor.tensor = seen.tensor;
    tensor.event = seen.event;
    tensor.shape = journal.tensor(seen.tensor).shape;
    tensor.placements.resize(result.axes.size());
  }
  PlacementCodes codes;
  codes.partialSums();
  codes.shards(8);  // before the strided shards of views, because leaves need these codes
  Relations relations(graph, codes);
  for (std::size_t axis = 0; axis < result.axes.size(); ++axis) {
    PlacementSolver solver(graph, result.axes[axis], codes, relations);
    const auto likeness = compareOccurrences(journal, graph, result.axes[axis]);
    const auto different = addContents(graph, likeness, solver);
    auto contradicted = addClaims(journal, graph, result.axes[axis], codes, solver);
    std::move(contradicted.begin(), contradicted.end(), std::back_inserter(result.findings));
    solver.solve();
    for (const auto& seen : graph.occurrences) {
      combine(result.tensors[places.at({seen.role, seen.name})].placements[axis],
              placementOf(solver, codes, seen.variable, different.contains(seen.variable)));
    }
    auto faults = findFaults(journal, graph, result.axes[axis], solver, codes, likeness);
    std::move(faults.begin(), faults.end(), std::back_inserter(result.findings));
  }
  return result;
}

std::string_view roleName(PlainRole role) {
  switch (role) {
    case PlainRole::Parameter:
      return "parameter";
    case PlainRole::Buffer:
      return "buffer";
    case PlainRole::Gradient:
      return "gradient";
    case PlainRole::Output:
      return "output";
    case PlainRole::Alias:
      return "alias";
    case PlainRole::Overlap:
      return "overlap";
    case PlainRole::Claim:
      return "claim";
    case PlainRole::None:
      break;
  }
  return "";
}

std::string_view evidenceName(EvidenceKind kind) {
  switch (kind) {
    case EvidenceKind::DifferentValues:
      return "different values";
    case EvidenceKind::Rule:
      return "rule";
    case EvidenceKind::EqualValues:
      return "equal values";
    case EvidenceKind::Collective:
      return "collective";
    case EvidenceKind::Claim:
      return "claim";
    case EvidenceKind::None:
      break;
  }
  return "";
}

}  // namespace shardlens
