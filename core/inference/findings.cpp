#include "core/inference/findings.h"

#include "core/model/operator_words.h"
#include "core/model/rank_ranges.h"
#include "core/model/ranks_text.h"
#include "core/trace/journal/tensor_ranks.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <unordered_set>

namespace shardlens {
namespace {

constexpr Domain kWholeOnly = Domain{1} << PlacementCodes::kReplicate;

std::string statementOf(const PlainClaim& claim) {
  return claim.by + " states " + toText(claim.stated);
}

// Returns what the ranks of a claim state, if ranks of one group of the axis differ.
std::string disagreement(const PlainClaim& claim, const RankAxis& axis) {
  const auto& stated = claim.stated.byRank;
  const bool differs = std::any_of(axis.groups.begin(), axis.groups.end(), [&](const auto& group) {
    std::set<std::string> texts;
    for (const int rank : group) {
      if (const auto found = stated.find(rank); found != stated.end()) texts.insert(found->second);
    }
    return texts.size() > 1;
  });
  if (!differs) return {};
  std::map<std::string, std::vector<RankRange>> ranks;
  for (const auto& [rank, text] : stated) ranks[text].push_back({rank, rank});
  std::string all;
  for (auto& [text, stating] : ranks) {
    const auto ranges = united(std::move(stating));
    all += fmt::format("{} {} on {} {}", all.empty() ? claim.by + " states" : " and",
                       text.empty() ? "nothing" : text, rankCount(ranges) > 1 ? "ranks" : "rank",
                       rangesText(ranges));
  }
  return all;
}

bool addsOver(const PlainOperation& op, const RankAxis& axis) {
  return op.call->collective == "all_reduce" &&
         (op.call->reduction == "sum" || op.call->reduction == "avg") && covers(op.groups, axis);
}

// What is known of a parameter up to an event.
struct Seen {
  std::size_t variable = 0;
  Likeness now = Likeness::Unknown;
  bool isGradientSame = false;  // the last gradient is whole on all ranks
  bool isGradientOwn = false;   // the last gradient may be another one on each rank
};

class Finder {
 public:
  Finder(const Judged& judged, const PlacementSolver& solver, PlacementCodes& codes)
      : judged_(judged),
        journal_(judged.journal),
        graph_(judged.graph),
        axis_(judged.axes[judged.axis]),
        solver_(solver),
        codes_(codes) {
    for (const auto& ledger : judged.ledgers) ledgers_.emplace(ledger.read, &ledger);
    for (const auto& op : graph_.operations) {
      for (const auto output : op.outputs) makers_[output] = &op;
    }
  }

  void parameter(const PlainOccurrence& seen, Likeness likeness) {
    const bool isAfterStep = parameters_.contains(seen.name);
    Seen& known = parameters_[seen.name];
    if (isAfterStep && seen.written && isAverageOf(seen.variable, *seen.written)) {
      averaged_.insert(seen.name + std::string(kGradientEnding));
    }
    known.variable = seen.variable;
    known.now = likeness;
    const bool isWritten = likeness == Likeness::Different && seen.written &&
                           solver_.of(*seen.written) == kWholeOnly &&
                           !isOfOwnGradients(*seen.written);
    if (likeness == Likeness::Different && (known.isGradientSame || isWritten)) {
      add(PlainFault::ParametersDiffer, seen);
      found.back().isWritten = isWritten;
    }
  }

  void gradient(const PlainOccurrence& seen, Likeness likeness) {
    const auto known = parameters_.find(parameterName(seen.name));
    if (known == parameters_.end()) return;
    Seen& parameter = known->second;
    const Domain domain = solver_.of(seen.variable);
    const bool isPartial = isSum(seen.variable);
    parameter.isGradientSame =
        likeness == Likeness::Equal || (domain == kWholeOnly && likeness != Likeness::Different);
    parameter.isGradientOwn = !parameter.isGradientSame;
    if (parameter.now == Likeness::Different && parameter.isGradientSame) {
      add(PlainFault::ParametersDiffer, parameterOf(seen));
    }
    if (isSliceOfSum(parameter.variable, seen.variable)) {
      add(isReducedLater(seen) ? PlainFault::ReadEarly : PlainFault::MissingReduction, seen);
      return;
    }
    const bool isWhole =
        solver_.of(parameter.variable) == kWholeOnly && parameter.now != Likeness::Different;
    if (!isWhole || likeness == Likeness::Equal || likeness == Likeness::Close) return;
    if (isPartial) {
      add(isReducedLater(seen) ? PlainFault::ReadEarly : PlainFault::MissingReduction, seen);
    } else if (likeness == Likeness::Different) {
      add(PlainFault::GradientsDiffer, seen);
    }
  }

  // Removes the findings of gradients whose parameters are averaged after the optimizer's step.
  void dropAveraged() {
    std::erase_if(found, [&](const PlainFinding& each) {
      return averaged_.contains(each.tensor) && (each.fault == PlainFault::MissingReduction ||
                                                 each.fault == PlainFault::GradientsDiffer);
    });
  }

  // Sums of data that have been reduced. Tensors that the program only creates, as zeros(1), and
  // sums that nothing reads synchronise ranks and have no data.
  void reductions() {
    std::unordered_set<std::size_t> empty, reduced;  // variables
    const auto read = readVariables();
    for (const auto& op : graph_.operations) {
      const auto has = [&](const auto& variables) {
        return std::any_of(op.inputs.begin(), op.inputs.end(),
                           [&](std::size_t input) { return variables.contains(input); });
      };
      if (isCreation(wordOf(op.name)) || (!op.call->collective.empty() && has(empty))) {
        empty.insert(op.outputs.begin(), op.outputs.end());
      }
      if (!addsOver(op, axis_) || has(empty)) continue;
      const bool isRead = std::any_of(op.outputs.begin(), op.outputs.end(),
                                      [&](std::size_t output) { return read.contains(output); });
      // The average of equal values is that value.
      if (op.call->reduction == "sum" && isRead && has(reduced)) {
        found.push_back({PlainFault::ReducedTwice, {}, axis_, op.event});
      }
      reduced.insert(op.outputs.begin(), op.outputs.end());
    }
  }

  void claims() {
    for (const auto& claim : graph_.claims) {
      if (!concerns(claim, axis_) || !claim.stated.placement) continue;
      if (!claim.stated.byRank.empty()) continue;
      const auto& all = solver_.conflicts();
      const auto conflict = std::find_if(all.begin(), all.end(), [&](const auto& each) {
        return each.variable == claim.variable;
      });
      if (conflict == all.end() && !solver_.isContradicted(claim.variable)) continue;
      const EventId event =
          conflict == all.end() ? claim.event : graph_.operations[conflict->operation].event;
      found.push_back({PlainFault::ClaimContradicted, journal_.tensor(claim.tensor).name, axis_,
                       event, std::nullopt, statementOf(claim)});
    }
  }

  // Gradients that a collective still fills. The event is only in the recordings of the ranks to
  // which that happened.
  void pending() {
    for (const auto& pending : graph_.pending) {
      const auto after = ledgers_.upper_bound(pending.event);
      const auto read =
          std::find_if(std::make_reverse_iterator(after), ledgers_.rend(),
                       [&](const auto& each) { return each.second->tensor == pending.tensor; });
      if (read == ledgers_.rend()) continue;
      const auto& entries = read->second->entries;
      const auto last = std::find_if(entries.rbegin(), entries.rend(), [&](const auto& entry) {
        return entry.kind == LedgerEntry::Kind::Reduced && entry.event < pending.event;
      });
      if (last == entries.rend() || !isOfAxis(*last)) continue;
      found.push_back({PlainFault::ReadEarly, read->second->name, axis_, pending.event});
      if (absentRanks(journal_, pending.event).empty()) continue;
      const Event event = journal_.at(pending.event);
      auto& ranks = found.back().ranks;
      for (const auto& group : parseRanks(journal_.text(event.ranks))) {
        ranks.insert(ranks.end(), group.begin(), group.end());
      }
    }
  }

  std::vector<PlainFinding> found;

 private:
  // Returns the variables that the program reads. A collective reads its inputs if the program
  // reads an output.
  std::unordered_set<std::size_t> readVariables() const {
    std::unordered_set<std::size_t> read;
    for (const auto& seen : graph_.occurrences) read.insert(seen.variable);
    for (auto op = graph_.operations.rbegin(); op != graph_.operations.rend(); ++op) {
      const bool isRead = op->call->collective.empty() ||
                          std::any_of(op->outputs.begin(), op->outputs.end(),
                                      [&](std::size_t output) { return read.contains(output); });
      if (isRead) read.insert(op->inputs.begin(), op->inputs.end());
    }
    return read;
  }

  // Returns true if a variable was computed from parameters without a collective over the axis, and
  // the optimizer's step may have changed these differently on each rank.
  bool isOfOwnGradients(std::size_t variable) const {
    std::set<std::size_t> own;
    for (const auto& [name, parameter] : parameters_) {
      if (parameter.isGradientOwn) own.insert(parameter.variable);
    }
    std::set<std::size_t> seen{variable};
    std::vector<std::size_t> open{variable};
    const auto visit = [&](std::size_t input) {
      if (seen.insert(input).second) open.push_back(input);
    };
    while (!open.empty()) {
      const std::size_t next = open.back();
      open.pop_back();
      if (own.contains(next)) return true;
      const auto maker = makers_.find(next);
      if (maker == makers_.end()) continue;
      const PlainOperation& op = *maker->second;
      if (op.sent) {
        visit(*op.sent);
      } else if (wordOf(op.name) == "copy_" && op.inputs.size() == 2) {
        visit(op.inputs.back());
      } else if (op.call->collective.empty() || !covers(op.groups, axis_)) {
        for (const auto input : op.inputs) visit(input);
      }
    }
    return false;
  }

  // Returns true if a variable is a multiple of the sum of what the ranks have of a parameter, or
  // of a sum with one that another rank has sent.
  bool isAverageOf(std::size_t parameter, std::size_t variable) const {
    const auto maker = makers_.find(sourceOf(variable));
    if (maker == makers_.end()) return false;
    const PlainOperation& op = *maker->second;
    if (addsOver(op, axis_)) return sourceOf(op.inputs.front()) == parameter;
    const auto word = wordOf(op.name);
    if (word != "add" && word != "add_") return false;
    return std::any_of(op.inputs.begin(), op.inputs.end(), [&](std::size_t input) {
      const auto received = makers_.find(sourceOf(input));
      return received != makers_.end() && received->second->sent &&
             sourceOf(*received->second->sent) == parameter;
    });
  }

  bool isSum(std::size_t variable) const {
    return (solver_.of(variable) & ~codes_.partialSums()) == 0;
  }

  // Returns true if an all_gather over the axis joins what the ranks have of a parameter.
  bool isGathered(std::size_t parameter) const {
    return std::any_of(graph_.operations.begin(), graph_.operations.end(), [&](const auto& op) {
      return op.call->collective == "all_gather" && covers(op.groups, axis_) &&
             !op.inputs.empty() && sourceOf(op.inputs.front()) == parameter;
    });
  }

  // Returns the variable of which another one is a copy or a view, a multiple, or a sum over other
  // axes. Stops behind a view that differs between the ranks, and sets `isSliced` then.
  std::size_t sourceOf(std::size_t variable, bool* isSliced = nullptr) const {
    constexpr int kMostSteps = 100;
    for (int step = 0; step < kMostSteps; ++step) {
      const auto maker = makers_.find(variable);
      if (maker == makers_.end() || maker->second->inputs.empty()) break;
      const PlainOperation& op = *maker->second;
      const auto word = wordOf(op.name);
      const bool isView = isMemoryView(word);
      const bool isCopy = word == "copy_" && op.inputs.size() == 2;
      const bool isBeside =
          op.call->collective == "all_reduce" && op.inputs.size() == 1 && !covers(op.groups, axis_);
      const bool isSame = isView || isBeside || word == "clone" || word == "_to_copy" ||
                          word == "mul" || word == "mul_" || word == "div" || word == "div_";
      if (!isSame && !isCopy) break;
      variable = isCopy ? op.inputs.back() : op.inputs.front();
      if (!isView || !op.call->differs) continue;
      if (isSliced != nullptr) *isSliced = true;
      break;
    }
    return variable;
  }

  // Returns true if each rank has taken its gradient from its own place of a tensor that is partial
  // along the axis, as far as is known, and the ranks' parameters are then gathered.
  bool isSliceOfSum(std::size_t parameter, std::size_t gradient) const {
    bool isSliced = false;
    const Domain source = solver_.of(sourceOf(gradient, &isSliced));
    return isSliced && !has(source, PlacementCodes::kReplicate) &&
           (source & codes_.partialSums()) != 0 && isGathered(parameter);
  }

  bool isOfAxis(const LedgerEntry& entry) const {
    return entry.kind == LedgerEntry::Kind::Reduced &&
           std::find(entry.axes.begin(), entry.axes.end(), judged_.axis) != entry.axes.end();
  }

  // Returns true if the contents of a gradient are reduced over the axis after the optimizer's
  // read.
  bool isReducedLater(const PlainOccurrence& gradient) const {
    const auto ledger = ledgers_.find(gradient.event);
    if (ledger == ledgers_.end()) return false;
    const auto& entries = ledger->second->entries;
    return std::any_of(entries.begin(), entries.end(), [&](const LedgerEntry& entry) {
      return isOfAxis(entry) && entry.event > gradient.event;
    });
  }

  // Returns the last occurrence of the parameter before its gradient.
  PlainOccurrence parameterOf(const PlainOccurrence& gradient) const {
    const auto name = parameterName(gradient.name);
    PlainOccurrence last;
    for (const auto& each : graph_.occurrences) {
      if (each.event >= gradient.event) break;
      if (each.name == name && each.role == PlainRole::Parameter) last = each;
    }
    return last;
  }

  void add(PlainFault fault, const PlainOccurrence& seen) {
    found.push_back({fault, seen.name, axis_, seen.event,
                     firstDifference(journal_, seen.tensor, seen.event, axis_)});
  }

  const Judged& judged_;
  const Journal& journal_;
  const PlainGraph& graph_;
  const RankAxis& axis_;
  const PlacementSolver& solver_;
  PlacementCodes& codes_;
  std::map<std::string, Seen> parameters_;
  std::set<std::string> averaged_;  // gradients of parameters that are averaged instead
  std::map<std::size_t, const PlainOperation*> makers_;  // by variable
  std::map<EventId, const GradientLedger*> ledgers_;     // by the event that reads the gradient
};

}  // namespace

std::vector<Likeness> compareOccurrences(const Journal& journal, const PlainGraph& graph,
                                         const RankAxis& axis) {
  std::vector<Likeness> all;
  all.reserve(graph.occurrences.size());
  for (const auto& seen : graph.occurrences) {
    all.push_back(compareContents(journal, seen.tensor, seen.event, axis));
  }
  return all;
}

bool concerns(const PlainClaim& claim, const RankAxis& axis) {
  return claim.stated.form.empty() ? claim.stated.axis == axis.name
                                   : isOfForm(axis, claim.stated.form);
}

std::vector<PlainFinding> addClaims(const Journal& journal, const PlainGraph& graph,
                                    const RankAxis& axis, PlacementCodes& codes,
                                    PlacementSolver& solver) {
  std::vector<PlainFinding> contradicted;
  for (const auto& claim : graph.claims) {
    if (!concerns(claim, axis)) continue;
    if (!claim.stated.byRank.empty()) {
      if (auto text = disagreement(claim, axis); !text.empty()) {
        contradicted.push_back({PlainFault::ClaimsDiffer, journal.tensor(claim.tensor).name, axis,
                                claim.event, std::nullopt, std::move(text)});
      }
      continue;
    }
    if (!claim.stated.placement) continue;
    const int code = codes.codeOf(*claim.stated.placement);
    if (code == PlacementCodes::kOther) continue;
    const bool differs =
        code == PlacementCodes::kReplicate &&
        compareContents(journal, claim.tensor, claim.event, axis) == Likeness::Different;
    if (differs) {
      solver.contradict(claim.variable);
      contradicted.push_back(
          {PlainFault::ClaimContradicted, journal.tensor(claim.tensor).name, axis, claim.event,
           firstDifference(journal, claim.tensor, claim.event, axis), statementOf(claim)});
    } else {
      const bool isSum = *claim.stated.placement == Placement(Partial{});
      solver.restrict(claim.variable, isSum ? codes.partialSums() : PlacementCodes::bit(code),
                      {EvidenceKind::Claim, claim.event});
    }
  }
  return contradicted;
}

std::vector<PlainFinding> findFaults(const Judged& judged, const PlacementSolver& solver,
                                     PlacementCodes& codes) {
  Finder finder(judged, solver, codes);
  const auto& occurrences = judged.graph.occurrences;
  for (std::size_t i = 0; i < occurrences.size(); ++i) {
    const auto& seen = occurrences[i];
    if (seen.role == PlainRole::Parameter) finder.parameter(seen, judged.likeness[i]);
    if (seen.role == PlainRole::Gradient) finder.gradient(seen, judged.likeness[i]);
  }
  finder.dropAveraged();
  finder.reductions();
  finder.pending();
  finder.claims();
  return std::move(finder.found);
}

}  // namespace shardlens
