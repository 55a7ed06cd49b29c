#include "core/inference/parts.h"

#include "core/model/operator_words.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>

namespace shardlens {
namespace {

// Returns the argument "dim" of a split or cat, counted from 0.
int dimOf(const PlainGraph& graph, const PlainOperation& op) {
  const int dim = integerOf<int>(op.call->args, "dim").value_or(0);
  const auto& tensors = op.outputs.empty() ? op.inputs : op.outputs;
  return dim < 0 && !tensors.empty() ? dim + graph.variables[tensors.front()].meta.ndim() : dim;
}

bool isSplit(const PlainOperation& op) { return op.name.starts_with("aten.split"); }
bool isCat(const PlainOperation& op) {
  return op.name == "aten.cat" || op.name == "aten._foreach_cat";
}

bool isReshaping(const PlainOperation& op) {
  const auto word = wordOf(op.name);
  return op.inputs.size() == 1 && op.outputs.size() == 1 &&
         (isReshape(word) || word == "clone" || word == "transpose");
}

class Joiner {
 public:
  explicit Joiner(PlainGraph& graph) : graph_(graph) {
    for (std::size_t i = 0; i < graph.operations.size(); ++i) {
      for (const auto input : graph.operations[i].inputs) users_[input].push_back(i);
      for (const auto output : graph.operations[i].outputs) makers_[output] = i;
    }
  }

  void join() {
    for (std::size_t i = 0; i < graph_.operations.size(); ++i) {
      auto& op = graph_.operations[i];
      if (op.outputs.empty() || op.inputs.empty()) continue;
      if (op.call->collective == "reduce_scatter") joinCopy(i);
      if (op.call->collective == "all_gather") joinGather(op);
      if (op.call->collective == "reduce_scatter") joinScatter(op);
      if (op.call->collective == "all_to_all") joinExchange(op);
    }
  }

 private:
  void joinGather(PlainOperation& gather) {
    auto parts = gather.outputs;
    if (!gather.call->isList) {
      const auto split = firstUser(parts.front(), isSplit);
      if (!split) return;
      const auto& op = graph_.operations[*split];
      if (op.outputs.empty() || op.outputs.size() != membersOf(gather)) return;
      if (dimOf(graph_, op) != 0) return;
      parts = op.outputs;
      graph_.operations[*split].isPart = true;
    }
    gather.dim = -1;
    const auto cat = firstUser(parts.front(), isCat);
    if (!cat || graph_.operations[*cat].inputs != parts) return;
    if (graph_.operations[*cat].outputs.empty()) return;
    graph_.operations[*cat].isPart = true;
    gather.dim = dimOf(graph_, graph_.operations[*cat]);
    gather.outputs = graph_.operations[*cat].outputs;
    gather.written = {-1};
  }

  // Gloo sums the whole tensor in a buffer, and then copies the part of each rank to its output.
  void joinCopy(std::size_t index) {
    if (index + 2 >= graph_.operations.size()) return;
    auto& scatter = graph_.operations[index];
    auto& split = graph_.operations[index + 1];
    auto& copy = graph_.operations[index + 2];
    const bool isOfBuffer = isSplit(split) && split.inputs.size() == 1 &&
                            graph_.variables[split.inputs.front()].isLeaf &&
                            !graph_.variables[split.inputs.front()].isParameter &&
                            users_[split.inputs.front()].size() == 1 &&
                            split.outputs.size() == membersOf(scatter);
    // In the recording of one rank, the copied part is the same tensor.
    const bool isOwnPart =
        copy.inputs.size() == 2 &&
        std::count(split.outputs.begin(), split.outputs.end(), copy.inputs.back()) != 0;
    const bool isOutput = wordOf(copy.name) == "copy_" && copy.inputs.size() == 2 &&
                          copy.inputs.front() == scatter.outputs.front() &&
                          scatter.outputs.size() == 1 && copy.outputs.size() == 1 &&
                          (copy.call->mixed == std::vector<std::size_t>{1} || isOwnPart);
    if (!isOfBuffer || !isOutput) return;
    split.isPart = copy.isPart = true;
    scatter.outputs = copy.outputs;
  }

  void joinScatter(PlainOperation& scatter) {
    auto parts = scatter.inputs;
    std::optional<std::size_t> cat;
    if (!scatter.call->isList) {
      cat = maker(parts.front(), isCat);
      if (!cat || dimOf(graph_, graph_.operations[*cat]) != 0) return;
      parts = graph_.operations[*cat].inputs;
      if (parts.empty()) return;
    }
    const auto split = maker(parts.front(), isSplit);
    const bool isWhole =
        split && graph_.operations[*split].outputs == parts && parts.size() == membersOf(scatter);
    if (!isWhole) {
      if (scatter.call->isList) scatter.dim = -1;
      return;
    }
    scatter.dim = dimOf(graph_, graph_.operations[*split]);
    scatter.inputs = graph_.operations[*split].inputs;
    graph_.operations[*split].isPart = true;
    if (cat) graph_.operations[*cat].isPart = true;
  }

  void joinExchange(PlainOperation& exchange) {
    if (exchange.call->isUneven) {
      exchange.isOfViews = hasOtherRows(exchange.inputs.front(), makers_) ||
                           hasOtherRows(exchange.outputs.front(), users_);
      return;
    }
    if (!exchange.call->isList) {
      exchange.movesShard = hasMembers(exchange.inputs.front(), exchange, makers_) ||
                            hasMembers(exchange.outputs.front(), exchange, users_);
      return;
    }
    exchange.dim = -1;
    const auto split = maker(exchange.inputs.front(), isSplit);
    const auto cat = firstUser(exchange.outputs.front(), isCat);
    if (!split || !cat || graph_.operations[*split].outputs != exchange.inputs ||
        graph_.operations[*cat].inputs != exchange.outputs ||
        graph_.operations[*cat].outputs.empty() || exchange.inputs.size() != membersOf(exchange)) {
      return;
    }
    exchange.sentDim = dimOf(graph_, graph_.operations[*split]);
    exchange.dim = dimOf(graph_, graph_.operations[*cat]);
    exchange.inputs = graph_.operations[*split].inputs;
    exchange.outputs = graph_.operations[*cat].outputs;
    exchange.written = {-1};
    graph_.operations[*split].isPart = graph_.operations[*cat].isPart = true;
  }

  // Returns true if the parts of the members are a dimension of their own around the exchange:
  // before a view that merges it with the next one, or after one that separates it. False for
  // tensors of less than three dimensions, in which rows can be tokens of any order.
  template <class Neighbours>
  bool hasMembers(std::size_t variable, const PlainOperation& exchange,
                  const Neighbours& neighbours) const {
    constexpr int kMostViews = 4;
    const auto& whole = graph_.variables[variable].meta.shape;
    const auto members = static_cast<std::int64_t>(membersOf(exchange));
    for (int views = 0; views < kMostViews; ++views) {
      const auto& shape = graph_.variables[variable].meta.shape;
      if (whole.size() >= 3 && shape.front() == members && shape != whole) return true;
      const auto next = neighbourOf(variable, neighbours);
      if (!next) return false;
      variable = *next;
    }
    return false;
  }

  // Returns true if a view before or after a variable has another number of rows.
  template <class Neighbours>
  bool hasOtherRows(std::size_t variable, const Neighbours& neighbours) const {
    constexpr int kMostViews = 4;
    const auto rowsOf = [&](std::size_t of) {
      const auto& shape = graph_.variables[of].meta.shape;
      return shape.empty() ? 1 : shape.front();
    };
    const auto rows = rowsOf(variable);
    for (int views = 0; views < kMostViews; ++views) {
      const auto next = neighbourOf(variable, neighbours);
      if (!next) return false;
      if (rowsOf(*next) != rows) return true;
      variable = *next;
    }
    return false;
  }

  // Returns what a view was made from, or what a view makes of the variable.
  std::optional<std::size_t> neighbourOf(std::size_t variable,
                                         const std::map<std::size_t, std::size_t>& makers) const {
    const auto made = makers.find(variable);
    if (made == makers.end() || !isReshaping(graph_.operations[made->second])) return std::nullopt;
    return graph_.operations[made->second].inputs.front();
  }
  std::optional<std::size_t> neighbourOf(
      std::size_t variable, const std::map<std::size_t, std::vector<std::size_t>>& users) const {
    const auto found = users.find(variable);
    if (found == users.end()) return std::nullopt;
    for (const auto user : found->second) {
      const auto& op = graph_.operations[user];
      const bool isMadeOfIt = !op.outputs.empty() && op.outputs.front() != variable;
      if (isReshaping(op) && isMadeOfIt) return op.outputs.front();
    }
    return std::nullopt;
  }

  static std::size_t membersOf(const PlainOperation& collective) {
    return collective.groups.empty() ? 0 : collective.groups.front().size();
  }

  template <class Is>
  std::optional<std::size_t> firstUser(std::size_t variable, const Is& is) const {
    const auto users = users_.find(variable);
    if (users == users_.end()) return std::nullopt;
    for (const auto user : users->second) {
      if (is(graph_.operations[user])) return user;
    }
    return std::nullopt;
  }

  template <class Is>
  std::optional<std::size_t> maker(std::size_t variable, const Is& is) const {
    const auto made = makers_.find(variable);
    if (made == makers_.end() || !is(graph_.operations[made->second])) return std::nullopt;
    return made->second;
  }

  PlainGraph& graph_;
  std::map<std::size_t, std::vector<std::size_t>> users_;
  std::map<std::size_t, std::size_t> makers_;
};

// Returns the argument that a foreach operator gives to the operator on tensor `place`: an element
// of a list, or the argument itself. Tensors are numbered as in `inputs`.
DetailJson argumentAt(const DetailJson& value, std::size_t place, std::size_t count,
                      const PlainOperation& op, std::vector<std::size_t>& inputs) {
  if (value.is_array() && value.size() == count) {
    return argumentAt(value[place], place, 0, op, inputs);
  }
  const auto index = value.is_object() ? integerOf<std::size_t>(value, "tensor") : std::nullopt;
  if (!index || *index >= op.inputs.size()) return value;
  inputs.push_back(op.inputs[*index]);
  return {{"tensor", inputs.size() - 1}};
}

// Returns the operators that a foreach operator stands for; empty if its lists do not match.
std::vector<PlainOperation> operatorsOf(const PlainOperation& op) {
  constexpr std::string_view kForeach = "aten._foreach_";
  std::vector<PlainOperation> all;
  const auto word = op.name.substr(kForeach.size());
  const auto self = op.call->args.find("self");
  if (self == op.call->args.end() || self->size() != op.outputs.size()) return all;
  for (std::size_t i = 0; i < op.outputs.size(); ++i) {
    PlainCall call = *op.call;
    PlainOperation one;
    one.event = op.event;
    one.name = "aten." + word.substr(0, word.find('.'));
    for (auto& argument : call.args) {
      argument = argumentAt(argument, i, op.outputs.size(), op, one.inputs);
    }
    // One relation for all that have equal arguments would do; there are few of these operators.
    call.isPointwise = !word.starts_with("norm");
    if (const auto scalar = call.args.find("scalar"); scalar != call.args.end()) {
      call.args["other"] = *scalar;
    }
    one.call = std::make_shared<const PlainCall>(std::move(call));
    one.outputs = {op.outputs[i]};
    one.written = {op.written[i] < 0 || one.inputs.empty() ? -1 : 0};
    one.isOnAllRanks = op.isOnAllRanks;
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

void splitForeach(PlainGraph& graph) {
  const auto isForeach = [](const PlainOperation& op) {
    return op.name.starts_with("aten._foreach_") && !op.call->differs && op.call->mixed.empty();
  };
  if (std::none_of(graph.operations.begin(), graph.operations.end(), isForeach)) return;
  std::vector<PlainOperation> operations;
  std::vector<std::size_t> places;  // of the former operations
  for (auto& op : graph.operations) {
    places.push_back(operations.size());
    auto all = isForeach(op) ? operatorsOf(op) : std::vector<PlainOperation>();
    if (all.empty()) all.push_back(std::move(op));
    std::move(all.begin(), all.end(), std::back_inserter(operations));
  }
  graph.operations = std::move(operations);
  for (auto& random : graph.randoms) random.operation = places[random.operation];
}

bool isPacking(std::string_view name) {
  return name.starts_with("fsdp.split_with_sizes_copy") || name.starts_with("fsdp.chunk_cat");
}

void findPacking(PlainGraph& graph) {
  for (auto& op : graph.operations) {
    if (!isPacking(op.name)) continue;
    std::vector<std::size_t> read;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      const bool isWritten = std::ranges::count(op.written, static_cast<int>(i)) != 0;
      if (!isWritten) read.push_back(op.inputs[i]);
    }
    op.inputs = std::move(read);
    op.outputs.insert(op.outputs.end(), op.aliases.begin(), op.aliases.end());
    op.written.assign(op.outputs.size(), -1);
  }
}

void joinParts(PlainGraph& graph) { Joiner(graph).join(); }

}  // namespace shardlens
