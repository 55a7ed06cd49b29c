#include "core/inference/parts.h"

#include <algorithm>
#include <map>
#include <optional>

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

class Joiner {
 public:
  explicit Joiner(PlainGraph& graph) : graph_(graph) {
    for (std::size_t i = 0; i < graph.operations.size(); ++i) {
      for (const auto input : graph.operations[i].inputs) users_[input].push_back(i);
      for (const auto output : graph.operations[i].outputs) makers_[output] = i;
    }
  }

  void join() {
    for (auto& op : graph_.operations) {
      if (op.outputs.empty() || op.inputs.empty()) continue;
      if (op.call->collective == "all_gather") joinGather(op);
      if (op.call->collective == "reduce_scatter") joinScatter(op);
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

}  // namespace

void joinParts(PlainGraph& graph) { Joiner(graph).join(); }

}  // namespace shardlens
