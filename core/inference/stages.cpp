#include "core/inference/stages.h"

#include "core/model/hash.h"
#include "core/model/ranks_text.h"
#include "core/trace/journal/collective_groups.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/records/collective_record.h"
#include "core/trace/records/plain_record.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace shardlens {
namespace {

using Members = std::vector<int>;

// Disjoint sets of ranks.
class RankSets {
 public:
  void unite(int a, int b) { parents_[rootOf(a)] = rootOf(b); }
  int rootOf(int rank) {
    int& parent = parents_.try_emplace(rank, rank).first->second;
    return parent == rank ? rank : parent = rootOf(parent);
  }

 private:
  std::map<int, int> parents_;
};

// What the events of a job show of its stages.
struct Traffic {
  std::set<std::pair<int, int>> messages;        // sender, receiver
  std::map<StringId, std::int64_t> bytes;        // that each rank sent, by the text of the ranks
  std::map<int, std::set<std::uint64_t>> names;  // of the parameters with their sizes, by rank
  std::map<int, std::int64_t> sizes;             // bytes of all parameters, by rank
  int steps = 0;
};

void addParameter(const Journal& journal, EventId id, const Event& event, Traffic& traffic) {
  for (const auto& group : parseRanks(journal.text(event.ranks))) {
    for (const int rank : group) {
      const auto part = journal.part(id, rank);
      const std::int64_t bytes = part ? part->bytes : 0;
      Hasher hasher;
      hasher.mix(journal.name(event));
      hasher.mix(bytes);
      if (traffic.names[rank].insert(hasher.value()).second) traffic.sizes[rank] += bytes;
    }
  }
}

// Reads all but the parameters.
Traffic trafficOf(const Journal& journal) {
  Traffic traffic;
  CollectiveGroups groups;
  for (EventId id = 1; id <= journal.size(); ++id) {
    const Event event = journal.at(id);
    if (event.kind == EventKind::Step) {
      ++traffic.steps;
    } else if (event.kind == EventKind::Collective) {
      const auto message = readMessage(journal.name(event));
      if (message && message->sender) {
        traffic.messages.emplace(*message->sender, message->receiver);
      } else if (!message) {
        std::size_t ranks = 0;
        for (const auto& group : groups.of(journal, event)) ranks += group.size();
        traffic.bytes[event.ranks] +=
            event.bytes / static_cast<std::int64_t>(std::max<std::size_t>(ranks, 1));
      }
    }
  }
  return traffic;
}

void addParameters(const Journal& journal, Traffic& traffic) {
  std::set<std::pair<StringId, StringId>> seen;  // names and ranks
  for (EventId id = 1; id <= journal.size(); ++id) {
    const Event event = journal.at(id);
    if (event.kind == EventKind::Result && event.detail != 0 &&
        readPlainRole(journal.detail(event)) == PlainRole::Parameter &&
        seen.emplace(event.name, event.ranks).second) {
      addParameter(journal, id, event, traffic);
    }
  }
}

bool isOfCopies(const Members& group, std::int64_t bytes, Traffic& traffic) {
  const auto& names = traffic.names[group.front()];
  return bytes / std::max(traffic.steps, 1) >= traffic.sizes[group.front()] / 2 &&
         std::all_of(group.begin(), group.end(),
                     [&](int rank) { return traffic.names[rank] == names; });
}

bool isLinked(const Members& group, RankSets& linked) {
  std::set<int> roots;
  for (const int rank : group) roots.insert(linked.rootOf(rank));
  return roots.size() < group.size();
}

bool shareRanks(const RankAxis& a, const RankAxis& b) {
  std::set<int> ranks;
  for (const auto& group : a.groups) ranks.insert(group.begin(), group.end());
  return std::any_of(b.groups.begin(), b.groups.end(), [&](const Members& group) {
    return std::any_of(group.begin(), group.end(), [&](int rank) { return ranks.contains(rank); });
  });
}

void renumber(std::vector<InferredPlacement>& placements, const RanksMerge& merge) {
  for (auto& placement : placements) {
    placement.evidence.event = merge.wholeEvent(placement.evidence.event);
  }
}

}  // namespace

std::vector<Members> pipelineStages(const Journal& journal) {
  if (!journal.isMerged()) return {};
  Traffic traffic = trafficOf(journal);
  RankSets linked, stages;
  bool isPipeline = false;
  for (const auto& [sender, receiver] : traffic.messages) {
    if (sender == receiver || !traffic.messages.contains({receiver, sender})) continue;
    linked.unite(sender, receiver);
    isPipeline = true;
  }
  if (!isPipeline) return {};
  addParameters(journal, traffic);
  for (const auto& [ranks, bytes] : traffic.bytes) {
    for (const auto& group : parseRanks(journal.text(ranks))) {
      if (isLinked(group, linked) && !isOfCopies(group, bytes, traffic)) continue;
      for (const int rank : group) stages.unite(rank, group.front());
    }
  }
  std::map<int, Members> byRoot;
  for (const int rank : hostedRanks(journal)) byRoot[stages.rootOf(rank)].push_back(rank);
  std::vector<Members> all;
  bool hasGroups = false;
  for (auto& [root, ranks] : byRoot) {
    hasGroups |= ranks.size() > 1;
    all.push_back(std::move(ranks));
  }
  if (all.size() < 2 || !hasGroups) return {};
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<RankAxis> axesWithin(const std::vector<RankAxis>& axes, const Members& ranks) {
  std::vector<RankAxis> within;
  for (const auto& axis : axes) {
    RankAxis its{axis.name, {}};
    for (const auto& group : axis.groups) {
      if (std::includes(ranks.begin(), ranks.end(), group.begin(), group.end())) {
        its.groups.push_back(group);
      }
    }
    if (its.groups.size() * axis.groups.front().size() == ranks.size()) within.push_back(its);
  }
  return within;
}

std::size_t StageJoin::joinedAxis(const RankAxis& axis) {
  auto& axes = result_.axes;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto has = [&](const Members& group) {
      return std::find(axes[i].groups.begin(), axes[i].groups.end(), group) != axes[i].groups.end();
    };
    if (axes[i].name != axis.name) continue;
    if (std::all_of(axis.groups.begin(), axis.groups.end(), has)) return i;
    const bool isOfOneForm = formOf(axes[i].groups.front()) == formOf(axis.groups.front());
    if (!isOfOneForm || shareRanks(axes[i], axis)) continue;
    axes[i].groups.insert(axes[i].groups.end(), axis.groups.begin(), axis.groups.end());
    std::sort(axes[i].groups.begin(), axes[i].groups.end());
    return i;
  }
  axes.push_back(axis);
  return axes.size() - 1;
}

void StageJoin::add(InferredPlacements found, const RanksMerge& merge, const Members& ranks) {
  stages_[ranks] = axes_.size();
  auto& axes = axes_.emplace_back();
  for (const auto& axis : found.axes) axes.push_back(joinedAxis(axis));
  for (auto& tensor : found.tensors) {
    tensor.tensor = merge.wholeTensor(tensor.tensor);
    tensor.event = merge.wholeEvent(tensor.event);
    tensor.ranks = ranks;
    renumber(tensor.placements, merge);
    if (tensor.event != 0) result_.tensors.push_back(std::move(tensor));
  }
  for (auto& finding : found.findings) {
    finding.event = merge.wholeEvent(finding.event);
    if (finding.event != 0) result_.findings.push_back(std::move(finding));
  }
  for (auto& ledger : found.ledgers) {
    ledger.tensor = merge.wholeTensor(ledger.tensor);
    ledger.read = merge.wholeEvent(ledger.read);
    ledger.ranks = ranks;
    for (auto& entry : ledger.entries) {
      entry.event = merge.wholeEvent(entry.event);
      for (auto& axis : entry.axes) axis = axes[axis];
      renumber(entry.placements, merge);
    }
    const bool isMerged = std::all_of(ledger.entries.begin(), ledger.entries.end(),
                                      [](const LedgerEntry& entry) { return entry.event != 0; });
    if (ledger.read != 0 && isMerged) result_.ledgers.push_back(std::move(ledger));
  }
  result_.isCut |= found.isCut;
  found.contents.renumber([&](EventId event) { return merge.wholeEvent(event); },
                          [&](TensorId tensor) { return merge.wholeTensor(tensor); });
  contents_.push_back(std::move(found.contents));
}

InferredPlacements StageJoin::result() {
  const std::size_t count = result_.axes.size();
  for (auto& tensor : result_.tensors) {
    tensor.placements = alongAll(tensor.placements, axes_[stages_.at(tensor.ranks)], count);
  }
  for (auto& ledger : result_.ledgers) {
    for (auto& entry : ledger.entries) {
      entry.placements = alongAll(entry.placements, axes_[stages_.at(ledger.ranks)], count);
    }
  }
  std::stable_sort(result_.findings.begin(), result_.findings.end(),
                   [](const PlainFinding& a, const PlainFinding& b) { return a.event < b.event; });
  std::stable_sort(
      result_.ledgers.begin(), result_.ledgers.end(),
      [](const GradientLedger& a, const GradientLedger& b) { return a.read < b.read; });
  result_.contents = PlacedContents(std::move(contents_), std::move(axes_), count);
  result_.mesh = meshOf(result_.axes);
  return std::move(result_);
}

}  // namespace shardlens
