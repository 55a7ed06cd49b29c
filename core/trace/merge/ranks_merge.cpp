#include "core/trace/merge/ranks_merge.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace shardlens {
namespace {

std::vector<const Journal*> journalsOf(const MergedParts& whole,
                                       const std::vector<std::size_t>& processes) {
  std::vector<const Journal*> journals;
  for (const auto process : processes) journals.push_back(whole.processes()[process].journal);
  return journals;
}

}  // namespace

std::unique_ptr<RanksMerge> RanksMerge::of(const Journal& whole, const std::vector<int>& ranks) {
  const auto* parts = dynamic_cast<const MergedParts*>(&whole.values());
  if (parts == nullptr) return nullptr;
  std::vector<std::size_t> processes;
  for (std::size_t i = 0; i < parts->processes().size(); ++i) {
    const auto& hosted = parts->processes()[i].hosted;
    const bool isOfThem = std::any_of(hosted.begin(), hosted.end(), [&](int rank) {
      return std::binary_search(ranks.begin(), ranks.end(), rank);
    });
    if (isOfThem) processes.push_back(i);
  }
  if (processes.empty()) return nullptr;
  return std::unique_ptr<RanksMerge>(new RanksMerge(*parts, std::move(processes)));
}

RanksMerge::RanksMerge(const MergedParts& whole, std::vector<std::size_t> processes)
    : whole_(whole),
      processes_(std::move(processes)),
      merge_(journalsOf(whole, processes_), whole.processes().size()),
      own_(dynamic_cast<const MergedParts&>(merge_.journal().values())) {
  merge_.finish(std::numeric_limits<EventId>::max());
}

EventId RanksMerge::wholeEvent(EventId id) const {
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const EventId own = id == 0 ? 0 : own_.processes()[i].events.partOf(id);
    const auto& events = whole_.processes()[processes_[i]].events;
    if (own != 0 && own <= events.size()) return events.mergedOf(own);
  }
  return 0;
}

TensorId RanksMerge::wholeTensor(TensorId id) const {
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const TensorId own = id == 0 ? 0 : own_.tensors().ownOf(i, id);
    const TensorId merged = own == 0 ? 0 : whole_.tensors().mergedOf(processes_[i], own);
    if (merged != 0) return merged;
  }
  return 0;
}

}  // namespace shardlens
