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
  if (value.statistics.nans == 0) return;
  const auto place = std::lower_bound(withNans_.begin(), withNans_.end(), value.event);
  if (place == withNans_.end() || *place != value.event) withNans_.insert(place, value.event);
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

std::vector<EventId> MemoryValues::eventsWithNans(EventId after, EventId last) const {
  const auto first = std::upper_bound(withNans_.begin(), withNans_.end(), after);
  return {first, std::upper_bound(first, withNans_.end(), last)};
}

}  // namespace shardlens
