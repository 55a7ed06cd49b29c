#include "core/compare/paired_tree.h"

#include "core/trace/journal/span_children.h"
#include "core/trace/journal/tensor_ranks.h"

#include <algorithm>

namespace shardlens {
namespace {

constexpr std::size_t kMostNamed = 4096;  // tensors that are compared by name

std::vector<EventId> insideOf(const Journal& journal, EventId span) {
  if (span == 0) return {};
  return childrenOf(journal, span, span, journal.size()).events;
}

// Reads no event for a root, because a view asks for all of them. An imported recording is an
// exception: events of other threads may separate those of a span.
bool hasInside(const PairedTree::Side& side, EventId span) {
  if (span == 0) return false;
  const auto& roots = side.histories->roots;
  if (isImported(side.journal) || !std::ranges::binary_search(roots, span)) {
    return hasChildren(side.journal, span, side.journal.size());
  }
  return span < side.journal.size() && !std::ranges::binary_search(roots, span + 1);
}

}  // namespace

std::vector<EventPair> PairedTree::roots() const {
  return merged(left_.histories->roots, right_.histories->roots);
}

std::vector<EventPair> PairedTree::childrenOf(const EventPair& node) const {
  return merged(insideOf(left_.journal, node.left), insideOf(right_.journal, node.right));
}

bool PairedTree::hasChildren(const EventPair& node) const {
  return hasInside(left_, node.left) || hasInside(right_, node.right);
}

// Pairs ascend on both sides, so events of the right recording alone come before the next pair.
std::vector<EventPair> PairedTree::merged(const std::vector<EventId>& left,
                                          const std::vector<EventId>& right) const {
  std::vector<EventPair> nodes;
  auto next = right.begin();
  const auto addUpTo = [&](EventId end) {
    for (; next != right.end() && *next < end; ++next) nodes.push_back({0, *next});
  };
  for (const EventId id : left) {
    const EventId other = pairs_.rightOf(id).value_or(0);
    const auto place = std::lower_bound(next, right.end(), other);
    const bool isPaired = other != 0 && place != right.end() && *place == other;
    if (isPaired) {
      addUpTo(other);
      ++next;
    }
    nodes.push_back({id, isPaired ? other : 0});
  }
  for (; next != right.end(); ++next) nodes.push_back({0, *next});
  return nodes;
}

TensorId counterpartOf(const Journal& left, const Snapshot& leftAt, TensorId tensor,
                       const EventPairs& pairs, const Journal& right, const Snapshot& rightAt) {
  const auto ours = leftAt.tensor(tensor);
  if (!ours) return 0;
  const EventId born = pairs.rightOf(ours->born).value_or(0);
  const TensorId made = born == 0 ? 0 : right.at(born).subject;
  if (made != 0 && rightAt.tensor(made)) return made;
  const std::string name = left.tensor(tensor).name;
  const std::size_t count = rightAt.tensors.size();
  for (std::size_t i = 0; i < std::min(count, kMostNamed); ++i) {
    const TensorId other = rightAt.tensors[count - 1 - i].id;
    if (right.tensor(other).name == name) return other;
  }
  return 0;
}

}  // namespace shardlens
