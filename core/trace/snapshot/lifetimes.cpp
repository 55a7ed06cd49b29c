#include "core/trace/snapshot/lifetimes.h"

#include <algorithm>

namespace shardlens {

std::uint32_t Lifetimes::begin(EventId at) {
  const std::uint32_t number = size();
  if (number % kBlock == 0) blocks_.emplace_back();
  ++blocks_.back().open;
  all_.push_back({at});
  open_.push_back(number);
  changed_ = at;
  return number;
}

void Lifetimes::end(std::uint32_t number, EventId at) {
  all_[number].end = at;
  Block& block = blocks_[number / kBlock];
  --block.open;
  block.lastEnd = at;
  open_.erase(std::lower_bound(open_.begin(), open_.end(), number));
  changed_ = at;
}

std::optional<std::uint32_t> Lifetimes::find(EventId begin) const {
  const auto place =
      std::lower_bound(all_.begin(), all_.end(), begin,
                       [](const Lifetime& life, EventId key) { return life.begin < key; });
  if (place == all_.end() || place->begin != begin) return std::nullopt;
  return static_cast<std::uint32_t>(place - all_.begin());
}

std::vector<std::uint32_t> Lifetimes::at(EventId position) const {
  if (position >= changed_) return open_;
  std::vector<std::uint32_t> found;
  for (std::uint32_t first = 0; first < size() && all_[first].begin <= position; first += kBlock) {
    const Block& block = blocks_[first / kBlock];
    if (block.open == 0 && block.lastEnd <= position) continue;
    for (std::uint32_t i = first; i < std::min(first + kBlock, size()); ++i) {
      const Lifetime& life = all_[i];
      if (life.begin <= position && (life.end == 0 || life.end > position)) found.push_back(i);
    }
  }
  return found;
}

std::uint32_t Lifetimes::begunBy(EventId position) const {
  const auto after =
      std::partition_point(all_.begin(), all_.end(),
                           [position](const Lifetime& life) { return life.begin <= position; });
  return static_cast<std::uint32_t>(after - all_.begin());
}

}  // namespace shardlens
