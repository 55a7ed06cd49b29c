#include "core/inference/graph.h"

#include "core/inference/parts.h"
#include "core/model/ranks_text.h"
#include "core/model/step_operators.h"
#include "core/trace/journal/collective_groups.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/records/collective_record.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace shardlens {
namespace {

class Reader {
 public:
  Reader(const Journal& journal, std::size_t most)
      : journal_(journal), most_(most), ranks_(hostedRanks(journal).size()) {}

  PlainGraph read() {
    for (EventId id = 1; id <= journal_.size() && !graph_.isCut; ++id) {
      const Event event = journal_.at(id);
      if (event.kind == EventKind::Operator) {
        readOperator(id, event);
      } else if (event.kind == EventKind::Collective) {
        readCollective(event);
      } else if (event.kind == EventKind::Result && event.subject != 0) {
        readResult(id, event);
      } else if (event.kind == EventKind::Step) {
        if (!recordsOperators(event)) leaveGap();
      }
    }
    return std::move(graph_);
  }

 private:
  void readOperator(EventId id, const Event& event) {
    const auto call = callOf(event.detail);
    if (call == nullptr) return;
    inputTensors_ = journal_.inputs(id);
    if (journal_.name(event) == "_c10d_functional.wait_tensor") return;  // its result is its input
    if (graph_.operations.size() == most_) {
      graph_.isCut = true;
      return;
    }
    PlainOperation op{.event = id, .name = std::string(journal_.name(event)), .call = call};
    for (std::size_t i = 0; i < inputTensors_.size(); ++i) {
      const TensorId tensor = inputTensors_[i];
      const bool isMixed = std::count(call->mixed.begin(), call->mixed.end(), i) != 0;
      op.inputs.push_back(isMixed || tensor == 0 ? leaf(tensor, id) : variableOf(tensor, id));
    }
    std::size_t ran = 0;
    for (const auto& group : parseRanks(journal_.text(event.ranks))) ran += group.size();
    op.isOnAllRanks = ran == ranks_;
    operations_[id] = graph_.operations.size();
    graph_.operations.push_back(std::move(op));
  }

  // The program may write any tensor in a step whose operators are not recorded.
  void leaveGap() {
    hasGap_ = true;
    written_.clear();
  }

  void readCollective(const Event& event) {
    const auto op = operations_.find(event.parent);
    if (op == operations_.end()) return;
    const auto message = readMessage(journal_.name(event));
    if (message && message->sender) {
      graph_.messages.emplace(*message->sender, message->receiver);
    }
    auto& groups = graph_.operations[op->second].groups;
    for (const auto& group : groups_.of(journal_, event)) groups.push_back(group);
  }

  void readResult(EventId id, const Event& event) {
    const PlainRole role = readPlainRole(journal_.detail(event));
    const auto op = operations_.find(event.parent);
    if (role == PlainRole::None && op == operations_.end()) return;
    if (role == PlainRole::Random) {
      if (op != operations_.end()) graph_.randoms.push_back({id, event.subject, op->second});
      return;
    }
    if (role == PlainRole::Loaded) {
      addLoad(id, event);
      return;
    }
    if (role == PlainRole::Pending) {
      graph_.pending.push_back({event.subject, id, variableOf(event.subject, id)});
      return;
    }
    const bool isWritten = role == PlainRole::Alias || role == PlainRole::Overlap;
    if (role == PlainRole::None || isWritten) {
      if (op == operations_.end()) return;
      const auto before = current_.find(event.subject);
      const std::size_t old = before == current_.end() ? kNone : before->second;
      const std::size_t made = add(event.subject, id);
      setState(event.subject, id, made);
      if (graph_.operations[op->second].isOnAllRanks) written_[event.subject] = made;
      if (role == PlainRole::Overlap && old != kNone) addPartWrite(op->second, old, made);
      auto& operation = graph_.operations[op->second];
      if (role == PlainRole::Alias) operation.aliases.push_back(made);
      if (isWritten) return;
      const auto given = std::find(inputTensors_.begin(), inputTensors_.end(), event.subject);
      operation.outputs.push_back(made);
      operation.written.push_back(
          given == inputTensors_.end() ? -1 : static_cast<int>(given - inputTensors_.begin()));
      return;
    }
    if (role == PlainRole::Claim) {
      const std::size_t variable = variableOf(event.subject, id);
      auto claim = readPlainClaim(journal_.detail(event));
      for (auto& stated : claim.axes) {
        auto* const shard = stated.placement ? std::get_if<Shard>(&*stated.placement) : nullptr;
        if (shard != nullptr && shard->dim < 0) {
          shard->dim += graph_.variables[variable].meta.ndim();
        }
        graph_.claims.push_back({id, event.subject, variable, claim.by, std::move(stated)});
      }
      return;
    }
    PlainOccurrence seen{role, std::string(journal_.name(event)), id, event.subject, 0};
    const bool isNamed = role == PlainRole::Parameter || role == PlainRole::Buffer;
    seen.variable = isNamed ? parameter(seen) : variableOf(event.subject, id);
    if (const auto last = written_.find(event.subject); isNamed && last != written_.end()) {
      seen.written = last->second;
      written_.erase(last);
    }
    if (role == PlainRole::Gradient) addGradient(seen);
    graph_.occurrences.push_back(std::move(seen));
  }

  // Adds the slices of the event's ranks to the n-th load of the tensor, if it is the n-th load of
  // a rank.
  void addLoad(EventId id, const Event& event) {
    auto load = readLoad(journal_.detail(event));
    if (load.stored.empty()) return;
    for (const auto& group : parseRanks(journal_.text(event.ranks))) {
      for (const int rank : group) {
        const std::size_t count = loadCounts_[{load.stored, rank}]++;
        const auto [known, isNew] = loads_.try_emplace({load.stored, count}, graph_.loads.size());
        if (isNew) graph_.loads.push_back({id, load.stored, load.whole});
        const auto own = load.sliceByRank.find(rank);
        auto& into = graph_.loads[known->second];
        if (into.whole != load.whole) continue;
        into.slices[rank] = own == load.sliceByRank.end() ? load.slice : own->second;
      }
    }
  }

  // Adds that an operation wrote its only output into a part of what the variable `old` was.
  void addPartWrite(std::size_t operation, std::size_t old, std::size_t made) {
    static const auto kCall = std::make_shared<const PlainCall>();
    const auto& op = graph_.operations[operation];
    if (op.outputs.size() != 1 || graph_.variables[made].meta.ndim() != 1) return;
    const std::size_t part = op.outputs.front();
    if (graph_.variables[part].meta.dtype != graph_.variables[made].meta.dtype) return;
    const bool isLater = madeOfParts_.contains(old);
    madeOfParts_.insert(made);
    graph_.operations.push_back({.event = op.event,
                                 .name = std::string(isLater ? kPartWrite : kFirstPartWrite),
                                 .call = kCall,
                                 .inputs = {old, part},
                                 .outputs = {made},
                                 .written = {0},
                                 .isOnAllRanks = op.isOnAllRanks});
  }

  // Returns the variable of a parameter or buffer, which is the current one of its tensor then.
  std::size_t parameter(const PlainOccurrence& seen) {
    const auto [known, isNew] = parameters_.try_emplace(seen.name, 0);
    if (isNew) {
      known->second = leaf(seen.tensor, seen.event);
      graph_.variables[known->second].isParameter = true;
      graph_.variables[known->second].isUnseen = false;
    }
    setState(seen.tensor, seen.event, known->second);
    return known->second;
  }

  void addGradient(const PlainOccurrence& gradient) {
    const auto of = parameters_.find(parameterName(gradient.name));
    if (of != parameters_.end()) {
      graph_.gradients.emplace_back(of->second, gradient.variable);
      written_.erase(graph_.variables[of->second].tensor);  // the optimizer writes it now
    }
  }

  std::size_t variableOf(TensorId tensor, EventId event) {
    const auto known = current_.find(tensor);
    if (known != current_.end()) return known->second;
    const std::size_t made = leaf(tensor, event);
    setState(tensor, event, made);
    return made;
  }

  void setState(TensorId tensor, EventId event, std::size_t variable) {
    const auto [known, isNew] = current_.try_emplace(tensor, variable);
    if (!isNew && known->second == variable) return;
    known->second = variable;
    graph_.states.push_back({tensor, event, variable});
  }

  std::size_t leaf(TensorId tensor, EventId event) {
    const std::size_t made = add(tensor, event);
    graph_.variables[made].isLeaf = true;
    graph_.variables[made].isUnseen = hasGap_;
    return made;
  }

  std::size_t add(TensorId tensor, EventId event) {
    PlainVariable variable{.tensor = tensor, .event = event};
    if (tensor != 0) {
      variable.meta = journal_.spec(journal_.specOf(tensor)).meta;
      variable.meta.strides = contiguousStrides(variable.meta.shape);
    }
    graph_.variables.push_back(std::move(variable));
    return graph_.variables.size() - 1;
  }

  // Returns null for an operator on sharded tensors.
  std::shared_ptr<const PlainCall> callOf(StringId detail) {
    if (detail == 0) return nullptr;
    const auto [known, isNew] = calls_.try_emplace(detail);
    if (isNew) {
      auto call = readPlainCall(journal_.text(detail));
      if (!call.args.is_null() || !call.collective.empty()) {
        known->second = std::make_shared<const PlainCall>(std::move(call));
      }
    }
    return known->second;
  }

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  const Journal& journal_;
  std::size_t most_;
  std::size_t ranks_;
  PlainGraph graph_;
  bool hasGap_ = false;  // a step without recorded operators was read
  CollectiveGroups groups_;
  std::vector<TensorId> inputTensors_;                   // of the last operator
  std::unordered_set<std::size_t> madeOfParts_;          // variables
  std::unordered_map<EventId, std::size_t> operations_;  // by event
  std::unordered_map<TensorId, std::size_t> current_;    // the variable of a tensor
  std::unordered_map<TensorId, std::size_t> written_;    // what all ranks have last written
  std::map<std::string, std::size_t> parameters_;        // by name
  std::map<std::pair<std::string, int>, std::size_t> loadCounts_;     // by stored name and rank
  std::map<std::pair<std::string, std::size_t>, std::size_t> loads_;  // by stored name and number
  std::unordered_map<StringId, std::shared_ptr<const PlainCall>> calls_;
};

// Sets what the ranks have sent to each recv: what the last send before it had, if no other message
// was sent since the recv before.
void pairMessages(PlainGraph& graph) {
  std::vector<const PlainOperation*> sends;
  for (auto& op : graph.operations) {
    const auto& kind = op.call->collective;
    if (kind == "send") sends.push_back(&op);
    if (kind != "recv") continue;
    const bool isPaired = sends.size() == 1 && op.isOnAllRanks && sends.front()->isOnAllRanks &&
                          sends.front()->inputs.size() == 1 && op.outputs.size() == 1;
    if (isPaired) {
      const auto sent = sends.front()->inputs.front();
      const auto& variables = graph.variables;
      if (variables[sent].meta.shape == variables[op.outputs.front()].meta.shape) op.sent = sent;
    }
    sends.clear();
  }
}

}  // namespace

PlainGraph readPlainGraph(const Journal& journal, std::size_t mostOperations) {
  PlainGraph graph = Reader(journal, mostOperations).read();
  splitForeach(graph);
  findPacking(graph);
  joinParts(graph);
  pairMessages(graph);
  return graph;
}

}  // namespace shardlens
