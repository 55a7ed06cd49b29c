#include "core/trace/journal/shard_values.h"

#include <algorithm>
#include <iterator>

namespace shardlens {

namespace {

bool isLater(EventId position, const ValueRecord* value) { return position < value->event; }

}  // namespace

void MemoryValues::add(const ValueRecord& value) {
  auto& list = of_[value.tensor][value.rank];
  list.insert(std::upper_bound(list.begin(), list.end(), value.event, isLater),
              &all_.emplace_back(value));
}

std::optional<ValueRecord> MemoryValues::newest(TensorId tensor, int rank, EventId position) const {
  const auto ranks = of_.find(tensor);
  if (ranks == of_.end()) return std::nullopt;
  const auto values = ranks->second.find(rank);
  if (values == ranks->second.end()) return std::nullopt;
  const auto& list = values->second;
  const auto next = std::upper_bound(list.begin(), list.end(), position, isLater);
  return next == list.begin() ? std::nullopt : std::optional(**std::prev(next));
}

std::vector<int> MemoryValues::ranksOf(TensorId tensor) const {
  std::vector<int> ranks;
  const auto found = of_.find(tensor);
  if (found == of_.end()) return ranks;
  for (const auto& [rank, values] : found->second) ranks.push_back(rank);
  return ranks;
}

std::vector<EventId> MemoryValues::eventsWithNans() const {
  std::vector<EventId> events;
  for (const ValueRecord& value : all_) {
    if (value.statistics.nans > 0) events.push_back(value.event);
  }
  std::sort(events.begin(), events.end());
  events.erase(std::unique(events.begin(), events.end()), events.end());
  return events;
}

}  // namespace shardlens
