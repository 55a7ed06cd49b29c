#include "core/inference/inference.h"

#include "core/inference/audit.h"
#include "core/inference/graph.h"
#include "core/inference/loads.h"
#include "core/inference/rank_ledgers.h"
#include "core/inference/stages.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace shardlens {
namespace {

constexpr std::size_t kMostOperations = 200'000;

// Adds the values as facts. Returns true for the variables whose values differ at some event. One
// whose values were equal before counts as whole, so that the reason of the difference can be
// found. Nothing is known of one whose values were constant before: a shard or a replica that has
// diverged. `withParameters`: also the values of parameters.
std::vector<bool> addContents(const PlainGraph& graph, const std::vector<Likeness>& likeness,
                              bool withParameters, PlacementSolver& solver) {
  constexpr Domain kReplicate = Domain{1} << PlacementCodes::kReplicate;
  std::set<std::size_t> seenBefore, equal;
  std::vector<bool> different(graph.variables.size());
  for (std::size_t i = 0; i < likeness.size(); ++i) {
    const auto& seen = graph.occurrences[i];
    if (!withParameters && seen.role == PlainRole::Parameter) continue;
    const bool isFirst = seenBefore.insert(seen.variable).second;
    if (likeness[i] == Likeness::Equal && equal.insert(seen.variable).second) {
      solver.restrict(seen.variable, kReplicate, {EvidenceKind::EqualValues, seen.event});
    }
    // That gradients differ shows no partial sum: a rank may have changed its own one.
    if (likeness[i] != Likeness::Different || seen.role == PlainRole::Gradient) continue;
    different[seen.variable] = true;
    if (!isFirst) continue;
    solver.restrict(seen.variable, ~kReplicate, {EvidenceKind::DifferentValues, seen.event});
  }
  // A parameter that differs although its gradient does not is no shard, but copies that differ.
  for (const auto& [parameter, gradient] : graph.gradients) {
    if (different[parameter] && equal.contains(gradient)) solver.contradict(parameter);
  }
  return different;
}

// Adds the placement of another occurrence of the tensor. Occurrences that disagree contradict each
// other.
void combine(InferredPlacement& known, const InferredPlacement& other) {
  const bool disagrees = known.placement && other.placement && *known.placement != *other.placement;
  if (known.isContradicted || other.isContradicted || disagrees) {
    known = {.isContradicted = true};
  } else if (other.placement || (other.type && !known.placement)) {
    known = other;
  }
}

// Adds findings. A claim that values contradict is not added again.
void addFindings(std::vector<PlainFinding> found, InferredPlacements& result) {
  for (auto& each : found) {
    const bool isKnown =
        each.fault == PlainFault::ClaimContradicted &&
        std::any_of(result.findings.begin(), result.findings.end(), [&](const PlainFinding& other) {
          return other.fault == each.fault && other.difference && other.tensor == each.tensor &&
                 other.axis == each.axis && other.claim == each.claim;
        });
    if (!isKnown) result.findings.push_back(std::move(each));
  }
}

// Removes the findings about a parameter or its gradient that follow from another one: those along
// its axis. A gradient that is reduced over a wrong axis also lacks the reduction over another one.
void dropConsequences(const PlainFinding& cause, InferredPlacements& result) {
  std::string name = cause.tensor;
  if (name.ends_with(kGradientEnding)) name = parameterName(name);
  std::erase_if(result.findings, [&](const PlainFinding& each) {
    const bool isOfIt = each.tensor == name || each.tensor == name + std::string(kGradientEnding);
    const bool follows = each.fault == PlainFault::MissingReduction ||
                         each.fault == PlainFault::GradientsDiffer ||
                         each.fault == PlainFault::ParametersDiffer;
    return isOfIt && follows &&
           (each.axis == cause.axis || cause.fault == PlainFault::ReducedShards);
  });
}

// Adds the findings of an axis. A gradient that an optimizer reads before its reduction differs,
// and so does its parameter then.
void addFaults(const std::vector<PlainFinding>& faults, InferredPlacements& result) {
  addFindings(faults, result);
  for (const auto& each : faults) {
    if (each.fault == PlainFault::ReadEarly) dropConsequences(each, result);
  }
}

// Solves again without facts that may be wrong: without the reductions of gradients over the axis,
// to judge these, and without the values of parameters, to judge those. Returns true if all
// parameters have the values that they should have.
bool audit(const Judged& judged, PlacementCodes& codes, Relations& relations,
           InferredPlacements& result) {
  const auto& [journal, graph, axes, axis, likeness, ledgers] = judged;
  std::vector<PlainFinding> found;
  const auto reductions = gradientReductions(ledgers, axis);
  if (!reductions.empty()) {
    PlacementSolver solver(graph, axes[axis], codes, relations);
    for (const auto operation : reductions) solver.exclude(operation);
    addContents(graph, likeness, /*withParameters=*/true, solver);
    addClaims(journal, graph, axes[axis], codes, solver);
    solver.solve();
    found = auditReductions(graph, axes, axis, ledgers, solver, codes);
  }
  PlacementSolver solver(graph, axes[axis], codes, relations);
  addContents(graph, likeness, /*withParameters=*/false, solver);
  addClaims(journal, graph, axes[axis], codes, solver);
  solver.solve();
  auto slices = auditSlices(journal, graph, axes[axis], solver, codes, likeness);
  const bool isRight = slices.empty();
  std::move(slices.begin(), slices.end(), std::back_inserter(found));
  for (const auto& each : found) dropConsequences(each, result);
  addFindings(std::move(found), result);
  return isRight;
}

// Infers the placements of ranks that run one program.
InferredPlacements inferProgram(const Journal& journal, const std::vector<RankAxis>& given) {
  InferredPlacements result;
  PlainGraph graph = readPlainGraph(journal, kMostOperations);
  findSources(graph);
  if (graph.occurrences.empty()) return result;
  result.axes = inferAxes(journal, given);
  result.mesh = meshOf(result.axes);
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
  result.contents = PlacedContents(graph);
  result.ledgers = gradientLedgers(graph, result.axes);
  for (std::size_t axis = 0; axis < result.axes.size(); ++axis) {
    PlacementSolver solver(graph, result.axes[axis], codes, relations);
    const auto likeness = compareOccurrences(journal, graph, result.axes[axis]);
    const auto different = addContents(graph, likeness, /*withParameters=*/true, solver);
    addFindings(addClaims(journal, graph, result.axes[axis], codes, solver), result);
    solver.solve();
    result.contents.addAxis(solver, codes, different);
    for (const auto& claim : graph.claims) {
      if (claim.stated.type && claim.stated.byRank.empty() && concerns(claim, result.axes[axis])) {
        result.contents.addType(axis, claim.variable, *claim.stated.type, claim.event);
      }
    }
    for (const auto& seen : graph.occurrences) {
      combine(result.tensors[places.at({seen.role, seen.name})].placements[axis],
              result.contents.of(seen.variable, axis));
    }
    const Judged judged{journal, graph, result.axes, axis, likeness, result.ledgers};
    addFaults(findFaults(judged, solver, codes), result);
    if (audit(judged, codes, relations, result)) {
      addFindings(auditGenerators(journal, graph, result.axes[axis], solver, codes), result);
    }
  }
  addFindings(auditLoads(graph, result.axes), result);
  const auto lacking = auditRanks(journal, graph, result.axes, kMostOperations);
  for (const auto& each : lacking) dropConsequences(each, result);
  addFindings(lacking, result);
  placeLedgers(result.contents, result.axes.size(), result.ledgers);
  const auto all = result.findings;
  for (const auto& each : all) {
    if (each.fault == PlainFault::ReducedShards) dropConsequences(each, result);
  }
  return result;
}

}  // namespace

InferredPlacements inferPlacements(const Journal& journal, const std::vector<RankAxis>& given) {
  const auto stages = pipelineStages(journal);
  if (stages.empty()) return inferProgram(journal, given);
  StageJoin joined(given);
  for (const auto& ranks : stages) {
    const auto merge = RanksMerge::of(journal, ranks);
    if (merge == nullptr) return inferProgram(journal, given);
    joined.add(inferProgram(merge->journal(), axesWithin(given, ranks)), *merge, ranks);
  }
  return joined.result();
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
    case PlainRole::Random:
      return "random state";
    case PlainRole::Pending:
      return "pending";
    case PlainRole::Loaded:
      return "loaded";
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
