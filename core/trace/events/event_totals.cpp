#include "core/trace/events/event_totals.h"

#include "core/base/wrapped_sum.h"

#include <algorithm>

namespace shardlens {
namespace {

constexpr std::size_t kMostInside = 4096;

std::uint64_t mixed(std::uint64_t value, std::uint64_t more) {
  constexpr std::uint64_t kPrime = 0x9e3779b97f4a7c15ULL;
  value = (value ^ more) * kPrime;
  return value ^ value >> 32U;
}

}  // namespace

TotalsKey totalsKeyOf(const Event& event) {
  TotalsKey key{.kind = event.kind, .verdict = event.verdict, .subkind = event.subkind};
  if (event.kind == EventKind::Collective) {
    key.meshDim = event.meshDim;
    key.name = event.name;
    key.ranks = event.ranks;
    key.group = event.group;
    key.detail = event.detail;
  }
  return key;
}

Event eventOf(const TotalsKey& key) {
  Event event;
  event.kind = key.kind;
  event.verdict = key.verdict;
  event.subkind = key.subkind;
  event.meshDim = key.meshDim;
  event.name = key.name;
  event.ranks = key.ranks;
  event.group = key.group;
  event.detail = key.detail;
  return event;
}

void Totals::add(const Totals& other) {
  count += other.count;
  increase(bytes, other.bytes);
  increase(nanoseconds, other.nanoseconds);
  increase(exposed, other.exposed);
  if (other.leastSequence == 0) return;
  leastSequence =
      leastSequence == 0 ? other.leastSequence : std::min(leastSequence, other.leastSequence);
  greatestSequence = std::max(greatestSequence, other.greatestSequence);
}

ImplicitMoves::Inside* ImplicitMoves::find(EventId id) {
  if (id == 0 || inside_.empty() || id > inside_.back().id) return nullptr;
  const auto found = std::ranges::lower_bound(inside_, id, {}, &Inside::id);
  return found->id == id ? &*found : nullptr;
}

bool ImplicitMoves::add(EventId id, const Event& event) {
  const bool begins = event.kind == EventKind::Redistribute && event.verdict == Verdict::Implicit;
  const Inside* parent = begins ? nullptr : find(event.parent);
  if (!begins && parent == nullptr) return false;
  const EventId redistribution = begins ? id : parent->redistribution;
  bool isFirst = false;
  if (event.kind == EventKind::Collective) {
    Inside* around = find(redistribution);
    isFirst = around != nullptr && !std::exchange(around->communicates, true);
  }
  if (inside_.size() == kMostInside) {
    inside_.erase(inside_.begin(), inside_.begin() + kMostInside / 2);
  }
  inside_.push_back({id, redistribution});
  return isFirst;
}

std::size_t EventTotals::Hash::operator()(const TotalsKey& key) const {
  std::uint64_t value = mixed(
      static_cast<std::uint64_t>(key.kind) << 24U | static_cast<std::uint64_t>(key.verdict) << 16U |
          std::uint64_t{key.subkind} << 8U | static_cast<std::uint8_t>(key.meshDim),
      std::uint64_t{key.name} << 32U | key.detail);
  return mixed(value, std::uint64_t{key.ranks} << 32U | key.group);
}

EventTotals::EventTotals(std::vector<std::pair<TotalsKey, Totals>> all, const Bounds& bounds)
    : running_(bounds.running),
      implicit_(bounds.implicit),
      leastStep_(bounds.leastStep),
      greatestStep_(bounds.greatestStep),
      begin_(bounds.begin),
      end_(bounds.end) {
  for (const auto& [key, totals] : all) {
    of(key).add(totals);
    count_ += totals.count;
    kinds_.at(static_cast<std::size_t>(key.kind)) += totals.count;
  }
}

Totals& EventTotals::of(const TotalsKey& key) {
  std::uint32_t& last = last_.at(static_cast<std::size_t>(key.kind));
  if (last < all_.size() && all_[last].first == key) return all_[last].second;
  const auto [known, isNew] = places_.try_emplace(key, static_cast<std::uint32_t>(all_.size()));
  if (isNew) all_.emplace_back(key, Totals());
  last = known->second;
  return all_[last].second;
}

void EventTotals::extend(std::int32_t least, std::int32_t greatest, std::int64_t begin,
                         std::int64_t end) {
  leastStep_ = count_ == 0 ? least : std::min(leastStep_, least);
  greatestStep_ = std::max(greatestStep_, greatest);
  if (begin != 0) begin_ = begin_ == 0 ? begin : std::min(begin_, begin);
  end_ = std::max(end_, end);
}

void EventTotals::add(const Event& event) {
  const bool isRunning = event.duration == Event::kRunning;
  extend(event.step, event.step, event.time,
         isRunning ? event.time : wrappedSum(event.time, event.duration));
  ++count_;
  ++kinds_.at(static_cast<std::size_t>(event.kind));
  running_ += static_cast<int>(isRunning);
  Totals& totals = of(totalsKeyOf(event));
  ++totals.count;
  increase(totals.bytes, event.bytes);
  increase(totals.exposed, isRunning ? 0 : event.exposed);
  increase(totals.nanoseconds, isRunning ? 0 : event.duration);
  if (event.kind != EventKind::Collective || event.sequence == 0) return;
  if (totals.leastSequence == 0 || event.sequence < totals.leastSequence) {
    totals.leastSequence = event.sequence;
  }
  totals.greatestSequence = std::max(totals.greatestSequence, event.sequence);
}

void EventTotals::end(const Event& event) {
  --running_;
  end_ = std::max(end_, wrappedSum(event.time, event.duration));
  Totals& totals = of(totalsKeyOf(event));
  increase(totals.exposed, event.exposed);
  increase(totals.nanoseconds, event.duration);
}

void EventTotals::add(const EventTotals& other) {
  if (other.count_ == 0) return;
  extend(other.leastStep_, other.greatestStep_, other.begin_, other.end_);
  count_ += other.count_;
  running_ += other.running_;
  implicit_ += other.implicit_;
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) kinds_[kind] += other.kinds_[kind];
  for (const auto& [key, totals] : other.all_) of(key).add(totals);
}

}  // namespace shardlens
