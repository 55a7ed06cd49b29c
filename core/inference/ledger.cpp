#include "core/inference/ledger.h"

#include "core/model/operator_words.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace shardlens {
namespace {

constexpr std::size_t kNone = LedgerEntry::kNoIndex;

bool isScaling(std::string_view word) {
  return word == "div" || word == "div_" || word == "mul" || word == "mul_";
}

bool keepsMeaning(std::string_view word) {
  return isMemoryView(word) || word == "clone" || word == "_to_copy";
}

bool isReduction(const PlainCall& call) {
  return call.collective == "all_reduce" || call.collective == "reduce_scatter" ||
         call.collective == "reduce";
}

// Returns the factor of a multiplication or division by a number; nullopt by a tensor.
std::optional<double> factorOf(const PlainOperation& op) {
  const auto other = op.call->args.find("other");
  const bool isNumber = other != op.call->args.end() && other->is_number();
  const std::size_t filled = op.name.ends_with(".out") ? 1 : 0;
  if (op.inputs.size() != 1 + filled || !isNumber) return std::nullopt;
  const auto number = other->get<double>();
  return wordOf(op.name).starts_with("div") ? 1 / number : number;
}

// Follows the contents of gradients back through a graph.
class Tracer {
 public:
  Tracer(const PlainGraph& graph, const std::vector<RankAxis>& axes)
      : graph_(graph), axes_(axes), makers_(graph.variables.size(), kNone) {
    for (std::size_t i = 0; i < graph.operations.size(); ++i) {
      const auto& op = graph.operations[i];
      if (op.isPart) continue;  // the collective has its result
      for (const auto output : op.outputs) makers_[output] = i;
      for (const auto alias : op.aliases) makers_[alias] = i;
      if (!isReduction(*op.call)) continue;
      for (const auto input : op.inputs) reductions_[input].push_back(i);
    }
    for (std::size_t i = 0; i < graph.states.size(); ++i) {
      const auto& state = graph.states[i];
      const auto [last, isNew] = lastOf_.try_emplace(state.tensor, state.variable);
      if (!isNew) before_[state.variable] = std::exchange(last->second, state.variable);
    }
  }

  GradientLedger ledger(const PlainOccurrence& gradient) {
    constexpr std::size_t kMostEntries = 1000;
    GradientLedger ledger{gradient.name, gradient.tensor, gradient.event, {}};
    auto& entries = ledger.entries;
    std::size_t variable = gradient.variable;
    TensorId part = 0;  // of a bucket
    while (variable != kNone && entries.size() < kMostEntries) {
      if (const std::size_t maker = makers_[variable];
          maker != kNone && wordOf(graph_.operations[maker].name) == "as_strided") {
        part = graph_.variables[variable].tensor;
      }
      variable = isMadeOfParts(variable) ? writtenPart(part, variable)
                                         : addEntry(gradient.tensor, variable, entries);
    }
    std::reverse(entries.begin(), entries.end());
    entries.push_back(
        {.kind = LedgerEntry::Kind::Read, .event = gradient.event, .variable = gradient.variable});
    for (const auto later : reductions_[gradient.variable]) {
      const auto& op = graph_.operations[later];
      if (op.event <= gradient.event || op.outputs.empty()) continue;
      entries.push_back(entryOf(later, op.outputs.front()));
      entries.back().from = gradient.variable;
    }
    return ledger;
  }

 private:
  // Appends the entry of the operation that made a variable, if it changed what the gradient means.
  // Returns the variable that it was made from; kNone at the end.
  std::size_t addEntry(TensorId gradient, std::size_t variable, std::vector<LedgerEntry>& entries) {
    const std::size_t maker = makers_[variable];
    if (maker == kNone) return kNone;
    const auto& op = graph_.operations[maker];
    const auto at = std::find(op.outputs.begin(), op.outputs.end(), variable);
    if (at == op.outputs.end()) {  // written through another tensor
      const auto before = before_.find(variable);
      return add(maker, variable, before == before_.end() ? kNone : before->second, entries);
    }
    if (op.inputs.empty()) return kNone;
    const auto place = static_cast<std::size_t>(at - op.outputs.begin());
    const auto word = wordOf(op.name);
    if (keepsMeaning(word)) return op.inputs.front();
    if (word == "copy_" && op.inputs.size() == 2) return op.inputs.back();
    if (word == "cat") return partOf(gradient, op);
    const bool isPaired = op.inputs.size() == op.outputs.size();
    return add(maker, variable, isPaired ? op.inputs[place] : op.inputs.front(), entries);
  }

  bool isMadeOfParts(std::size_t variable) const {
    const std::size_t maker = makers_[variable];
    return maker != kNone && isPartWrite(graph_.operations[maker].name);
  }

  // Returns what was written to the part of a bucket that a view of it has; kNone if none was.
  std::size_t writtenPart(TensorId view, std::size_t bucket) const {
    while (isMadeOfParts(bucket)) {
      const auto& write = graph_.operations[makers_[bucket]];
      if (graph_.variables[write.inputs.back()].tensor == view) return write.inputs.back();
      bucket = write.inputs.front();
    }
    return kNone;
  }

  // Appends the entry of an operation. Returns `from`, what it read of the gradient; kNone if it
  // computed the gradient.
  std::size_t add(std::size_t operation, std::size_t variable, std::size_t from,
                  std::vector<LedgerEntry>& entries) const {
    entries.push_back(entryOf(operation, variable));
    if (entries.back().kind == LedgerEntry::Kind::Computed) return kNone;
    return entries.back().from = from;
  }

  LedgerEntry entryOf(std::size_t operation, std::size_t variable) const {
    using Kind = LedgerEntry::Kind;
    const auto& op = graph_.operations[operation];
    const auto word = wordOf(op.name);
    LedgerEntry entry{
        .event = op.event, .what = op.name, .operation = operation, .variable = variable};
    if (!op.call->collective.empty()) {
      entry.kind = isReduction(*op.call) ? Kind::Reduced : Kind::Moved;
      entry.what = op.call->collective;
      entry.reduction = op.call->reduction;
      entry.makesSlices = op.call->collective == "reduce_scatter";
      entry.groups = op.groups;
      for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
        if (covers(op.groups, axes_[axis])) entry.axes.push_back(axis);
      }
    } else if (isScaling(word)) {
      entry.kind = Kind::Scaled;
      entry.factor = factorOf(op);
    } else if ((word == "add" || word == "add_") && op.inputs.size() == 2) {
      entry.kind = Kind::Accumulated;
    }
    return entry;
  }

  // Returns the input of a concatenation that has been the gradient before; kNone if none has.
  std::size_t partOf(TensorId gradient, const PlainOperation& cat) const {
    for (const auto input : cat.inputs) {
      std::size_t from = input;
      while (graph_.variables[from].tensor != gradient) {
        const std::size_t maker = makers_[from];
        if (maker == kNone || !keepsMeaning(wordOf(graph_.operations[maker].name))) break;
        from = graph_.operations[maker].inputs.front();
      }
      if (graph_.variables[from].tensor == gradient) return from;
    }
    return kNone;
  }

  const PlainGraph& graph_;
  const std::vector<RankAxis>& axes_;
  std::vector<std::size_t> makers_;                             // operations, by variable
  std::map<std::size_t, std::vector<std::size_t>> reductions_;  // that read a variable
  std::map<TensorId, std::size_t> lastOf_;                      // variables
  std::map<std::size_t, std::size_t> before_;  // what the tensor of a variable had before it
};

}  // namespace

std::vector<GradientLedger> gradientLedgers(const PlainGraph& graph,
                                            const std::vector<RankAxis>& axes) {
  std::vector<GradientLedger> all;
  Tracer tracer(graph, axes);
  for (const auto& seen : graph.occurrences) {
    if (seen.role == PlainRole::Gradient) all.push_back(tracer.ledger(seen));
  }
  return all;
}

void placeLedgers(const PlacedContents& contents, std::size_t axes,
                  std::vector<GradientLedger>& ledgers) {
  for (auto& ledger : ledgers) {
    for (auto& entry : ledger.entries) {
      for (std::size_t axis = 0; axis < axes; ++axis) {
        entry.placements.push_back(contents.of(entry.variable, axis));
      }
    }
  }
}

}  // namespace shardlens
