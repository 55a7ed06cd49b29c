#include "core/inference/audit.h"

#include "core/model/operator_words.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace shardlens {
namespace {

constexpr Domain kReplicated = Domain{1} << PlacementCodes::kReplicate;
constexpr int kMostDimensions = 8;

// Returns true if the variable is a shard whichever dimension it has.
bool isShard(const PlacementSolver& solver, PlacementCodes& codes, std::size_t variable) {
  const Domain domain = solver.of(variable);
  return domain != 0 && (domain & ~codes.shards(kMostDimensions)) == 0 &&
         !solver.isContradicted(variable);
}

bool isReducedOver(const LedgerEntry& entry, std::size_t axis) {
  return entry.kind == LedgerEntry::Kind::Reduced &&
         std::find(entry.axes.begin(), entry.axes.end(), axis) != entry.axes.end();
}

// What a ledger does to a gradient in total.
struct Totals {
  double ranks = 1;   // over which values are added
  double factor = 1;  // by which they are multiplied
  bool isKnown = true;
};

Totals totalsOf(const GradientLedger& ledger, const std::vector<RankAxis>& axes) {
  Totals totals;
  for (const auto& entry : ledger.entries) {
    if (entry.kind == LedgerEntry::Kind::Read) break;
    if (entry.kind == LedgerEntry::Kind::Scaled) {
      totals.factor *= entry.factor.value_or(1);
      totals.isKnown &= entry.factor.has_value();
    }
    if (entry.kind != LedgerEntry::Kind::Reduced || entry.reduction != "sum") continue;
    for (const auto axis : entry.axes) {
      totals.ranks *= static_cast<double>(axes[axis].groups.front().size());
    }
  }
  return totals;
}

// Returns true if a sum of `copies` equal values is not divided by their number: nothing is
// divided, or only by the number of the remaining ranks.
bool isTooLarge(const Totals& totals, double copies) {
  const auto is = [&](double factor) { return std::abs(totals.factor / factor - 1) < 1e-6; };
  return totals.isKnown && (is(1) || (totals.ranks > copies && is(copies / totals.ranks)));
}

// Returns the tensor that a random operator applies to: its input, or what is multiplied by the
// numbers that it draws. nullopt if there is none.
std::optional<std::size_t> dataOf(const PlainGraph& graph, const PlainOperation& op,
                                  std::size_t operation) {
  constexpr std::size_t kMostLater = 16;
  if (op.inputs.empty() || op.outputs.empty()) return std::nullopt;
  const auto word = wordOf(op.name);
  if (word == "native_dropout") return op.inputs.front();
  if (word != "bernoulli_" && word != "bernoulli") return std::nullopt;
  std::size_t drawn = op.outputs.front();
  const std::size_t end = std::min(graph.operations.size(), operation + kMostLater);
  for (std::size_t i = operation + 1; i < end; ++i) {
    const auto& later = graph.operations[i];
    const auto at = std::find(later.inputs.begin(), later.inputs.end(), drawn);
    if (at == later.inputs.end() || later.outputs.empty()) continue;
    if (later.inputs.size() == 2) return later.inputs[at == later.inputs.begin() ? 1 : 0];
    drawn = later.outputs.front();
  }
  return std::nullopt;
}

// Returns true if the program states of this tensor that it is a shard, as of one that has equal
// values by its initialisation. A plan states it of all tensors of a name.
bool isMeant(const PlainGraph& graph, std::size_t variable, const RankAxis& axis) {
  return std::any_of(graph.claims.begin(), graph.claims.end(), [&](const PlainClaim& claim) {
    return claim.variable == variable && concerns(claim, axis) && !claim.by.starts_with("tp_plan");
  });
}

}  // namespace

std::vector<std::size_t> gradientReductions(const std::vector<GradientLedger>& ledgers,
                                            std::size_t axis) {
  std::set<std::size_t> operations;
  for (const auto& ledger : ledgers) {
    // A reduce_scatter is judged unless the slice that it makes is reduced again, which it
    // explains.
    std::size_t scatter = LedgerEntry::kNoIndex;
    bool isReducedAgain = false;
    for (const auto& entry : ledger.entries) {
      if (!isReducedOver(entry, axis)) continue;
      if (entry.makesSlices) {
        if (scatter == LedgerEntry::kNoIndex) scatter = entry.operation;
      } else {
        operations.insert(entry.operation);
        isReducedAgain = true;
      }
    }
    if (scatter != LedgerEntry::kNoIndex && !isReducedAgain) operations.insert(scatter);
  }
  return {operations.begin(), operations.end()};
}

std::vector<PlainFinding> auditReductions(const PlainGraph& graph,
                                          const std::vector<RankAxis>& axes, std::size_t axis,
                                          const std::vector<GradientLedger>& ledgers,
                                          const PlacementSolver& solver, PlacementCodes& codes) {
  std::vector<PlainFinding> found;
  for (const auto& ledger : ledgers) {
    const auto& entries = ledger.entries;
    const auto isReduced = [&](const LedgerEntry& entry) {
      return isReducedOver(entry, axis) && entry.from != LedgerEntry::kNoIndex;
    };
    // An optimizer of slices may reduce a gradient again after the reduction that made its slice.
    auto first = std::find_if(entries.begin(), entries.end(), [&](const LedgerEntry& entry) {
      return isReduced(entry) && isShard(solver, codes, entry.from);
    });
    if (first == entries.end()) first = std::find_if(entries.begin(), entries.end(), isReduced);
    if (first == entries.end()) continue;
    const EventId event = graph.operations[first->operation].event;
    const auto copies = static_cast<double>(axes[axis].groups.front().size());
    const bool isWhole =
        solver.of(first->from) == kReplicated && !solver.isContradicted(first->from);
    if (isShard(solver, codes, first->from)) {
      found.push_back({PlainFault::ReducedShards, ledger.name, axes[axis], event});
    } else if (isWhole && first->reduction == "sum" && isTooLarge(totalsOf(ledger, axes), copies)) {
      found.push_back({PlainFault::ReducedCopies, ledger.name, axes[axis], event});
    }
  }
  return found;
}

std::vector<PlainFinding> auditSlices(const Journal& journal, const PlainGraph& graph,
                                      const RankAxis& axis, const PlacementSolver& solver,
                                      PlacementCodes& codes,
                                      const std::vector<Likeness>& likeness) {
  std::vector<PlainFinding> found;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < graph.occurrences.size(); ++i) {
    const auto& each = graph.occurrences[i];
    if (each.role != PlainRole::Parameter || !seen.insert(each.name).second) continue;
    if (!isShard(solver, codes, each.variable) || isMeant(graph, each.variable, axis)) continue;
    const bool isOnAll = likeness[i] == Likeness::Equal;
    const auto copy = isOnAll ? std::nullopt : firstCopy(journal, each.tensor, each.event, axis);
    if (isOnAll || copy) {
      found.push_back({PlainFault::SameSlice, each.name, axis, each.event, copy});
    }
  }
  return found;
}

std::vector<PlainFinding> auditGenerators(const Journal& journal, const PlainGraph& graph,
                                          const RankAxis& axis, const PlacementSolver& solver,
                                          PlacementCodes& codes) {
  std::vector<PlainFinding> found;
  for (const auto& random : graph.randoms) {
    const auto& op = graph.operations[random.operation];
    const auto data = dataOf(graph, op, random.operation);
    if (!data || solver.isContradicted(*data)) continue;
    const auto states = compareContents(journal, random.tensor, random.event, axis);
    if (solver.of(*data) == kReplicated && states == Likeness::Different) {
      found.push_back({PlainFault::RandomDiffers, op.name, axis, op.event});
    } else if (isShard(solver, codes, *data) && states == Likeness::Equal) {
      found.push_back({PlainFault::RandomAgrees, op.name, axis, op.event});
    }
  }
  return found;
}

}  // namespace shardlens
