#include "core/inference/rank_ledgers.h"

#include "core/inference/ledger.h"
#include "core/model/operator_words.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/merge/ranks_merge.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace shardlens {
namespace {

enum class Reduction { Unknown, Missing, Late, Done };

// What each rank did to one gradient of a step, before the optimizer read it.
struct OnRanks {
  std::map<int, std::vector<Reduction>> axes;  // by rank, for each axis
  std::map<int, EventId> reads;                // of the whole journal
};

// Gradients by name; the n-th element is that of the n-th time that an optimizer read it.
using Gradients = std::map<std::string, std::vector<OnRanks>>;

bool isOfSomeRanks(const PlainOperation& op) { return !op.isOnAllRanks; }

// The operations that made the variables of a graph.
using Makers = std::map<std::size_t, const PlainOperation*>;

Makers makersOf(const PlainGraph& graph) {
  Makers makers;
  for (const auto& op : graph.operations) {
    if (op.isPart) continue;
    for (const auto output : op.outputs) makers[output] = &op;
  }
  return makers;
}

// Returns true if a variable is a copy or a view of a bucket, or a part of it.
bool isOfBucket(const Makers& makers, std::size_t variable) {
  constexpr int kMostSteps = 100;
  for (int step = 0; step < kMostSteps; ++step) {
    const auto maker = makers.find(variable);
    if (maker == makers.end() || maker->second->inputs.empty()) return false;
    const PlainOperation& op = *maker->second;
    if (isPartWrite(op.name)) return true;
    const auto word = wordOf(op.name);
    const bool isCopy = word == "copy_" && op.inputs.size() == 2;
    if (!isCopy && !isMemoryView(word) && word != "clone") return false;
    variable = isCopy ? op.inputs.back() : op.inputs.front();
  }
  return false;
}

// Returns true if the entries begin where the gradient was computed, or where it was written into a
// bucket.
bool isComplete(const GradientLedger& ledger, const Makers& makers) {
  const LedgerEntry& first = ledger.entries.front();
  if (first.kind == LedgerEntry::Kind::Computed) return true;
  const auto begin = first.kind == LedgerEntry::Kind::Read ? first.variable : first.from;
  return begin != LedgerEntry::kNoIndex && isOfBucket(makers, begin);
}

std::vector<Reduction> reductionsOf(const GradientLedger& ledger, const Makers& makers,
                                    std::size_t axes) {
  using Kind = LedgerEntry::Kind;
  std::vector<Reduction> all(axes,
                             isComplete(ledger, makers) ? Reduction::Missing : Reduction::Unknown);
  bool isRead = false;
  for (const auto& entry : ledger.entries) {
    isRead |= entry.kind == Kind::Read;
    // Another collective, or an addend, may bring what another rank has reduced.
    const bool isOfOthers = entry.kind == Kind::Moved || entry.kind == Kind::Accumulated;
    if (isOfOthers) std::replace(all.begin(), all.end(), Reduction::Missing, Reduction::Unknown);
    if (entry.kind != Kind::Reduced) continue;
    for (const auto axis : entry.axes) {
      if (all[axis] != Reduction::Done) all[axis] = isRead ? Reduction::Late : Reduction::Done;
    }
  }
  return all;
}

void addRank(const Journal& journal, int rank, const std::vector<RankAxis>& axes, std::size_t most,
             Gradients& gradients) {
  const auto merge = RanksMerge::of(journal, {rank});
  if (merge == nullptr) return;
  const PlainGraph graph = readPlainGraph(merge->journal(), most);
  const Makers makers = makersOf(graph);
  std::map<std::string, std::size_t> counts;
  for (const auto& ledger : gradientLedgers(graph, axes)) {
    auto& times = gradients[ledger.name];
    const std::size_t time = counts[ledger.name]++;
    times.resize(std::max(times.size(), time + 1));
    times[time].axes[rank] = reductionsOf(ledger, makers, axes.size());
    times[time].reads[rank] = merge->wholeEvent(ledger.read);
  }
}

// Adds the findings of a gradient along an axis.
void addFindings(const std::string& name, const OnRanks& gradient, const RankAxis& axis,
                 std::size_t index, std::vector<PlainFinding>& found) {
  bool isDone = false;
  std::map<Reduction, std::vector<int>> ranks;
  for (const auto& [rank, axes] : gradient.axes) {
    isDone |= axes[index] == Reduction::Done;
    ranks[axes[index]].push_back(rank);
  }
  if (!isDone) return;
  for (const auto& [reduction, fault] :
       {std::pair(Reduction::Missing, PlainFault::MissingReduction),
        std::pair(Reduction::Late, PlainFault::ReadEarly)}) {
    const auto& lacking = ranks[reduction];
    const EventId event = lacking.empty() ? 0 : gradient.reads.at(lacking.front());
    if (event == 0) continue;
    found.push_back(
        {.fault = fault, .tensor = name, .axis = axis, .event = event, .ranks = lacking});
  }
}

}  // namespace

std::vector<PlainFinding> auditRanks(const Journal& journal, const PlainGraph& graph,
                                     const std::vector<RankAxis>& axes,
                                     std::size_t mostOperations) {
  std::vector<PlainFinding> found;
  const auto ranks = hostedRanks(journal);
  if (!journal.isMerged() || ranks.size() * graph.operations.size() > mostOperations ||
      std::none_of(graph.operations.begin(), graph.operations.end(), isOfSomeRanks)) {
    return found;
  }
  Gradients gradients;
  for (const int rank : ranks) addRank(journal, rank, axes, mostOperations, gradients);
  for (const auto& [name, times] : gradients) {
    for (const auto& gradient : times) {
      for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        addFindings(name, gradient, axes[axis], axis, found);
      }
    }
  }
  return found;
}

}  // namespace shardlens
