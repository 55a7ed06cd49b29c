#include "core/trace/journal/journal.h"

#include "core/base/check.h"

#include <algorithm>

namespace shardlens {

namespace {

bool isLater(EventId position, const ValueRecord* value) { return position < value->event; }

}  // namespace

std::string_view Journal::meta(std::string_view key) const {
  const auto found = meta_.find(key);
  return found == meta_.end() ? std::string_view() : std::string_view(found->second);
}

const ValueRecord* Journal::value(TensorId tensor, int rank, EventId position) const {
  const auto ranks = valuesOf_.find(tensor);
  if (ranks == valuesOf_.end()) return nullptr;
  const auto values = ranks->second.find(rank);
  if (values == ranks->second.end()) return nullptr;
  const auto& list = values->second;
  const auto next = std::upper_bound(list.begin(), list.end(), position, isLater);
  return next == list.begin() ? nullptr : *std::prev(next);
}

std::vector<int> Journal::ranksOf(TensorId tensor) const {
  std::vector<int> ranks;
  const auto found = valuesOf_.find(tensor);
  if (found == valuesOf_.end()) return ranks;
  for (const auto& [rank, values] : found->second) ranks.push_back(rank);
  return ranks;
}

std::optional<Timing> Journal::timing(EventId id, int rank) const {
  if (processes_.empty()) {
    const Event& event = at(id);
    return Timing{event.time, event.duration};
  }
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    if (!std::binary_search(processes_[i].begin(), processes_[i].end(), rank)) continue;
    return timings_[(id - 1) * processes_.size() + i];
  }
  return std::nullopt;
}

void Journal::onMeta(std::string_view key, std::string_view value) {
  meta_.insert_or_assign(std::string(key), std::string(value));
}

void Journal::onString(StringId id, std::string_view text) {
  SL_CHECK(id == strings_.size(), "strings come in the order of their ids");
  strings_.emplace_back(text);
}

void Journal::onSpec(SpecId id, const SpecRecord& spec) {
  SL_CHECK(id == specs_.size() + 1, "specs come in the order of their ids");
  specs_.push_back(spec);
}

void Journal::onTensor(TensorId id, StringId name, SpecId spec) {
  SL_CHECK(id == tensors_.size() + 1, "tensors come in the order of their ids");
  SL_CHECK(name < strings_.size() && spec >= 1 && spec <= specs_.size(),
           "what a tensor names comes before it");
  tensors_.push_back({name, spec});
}

void Journal::onEvent(EventId id, const Event& event, std::span<const TensorId> inputs) {
  SL_CHECK(id == events_.size() + 1, "events come in the order of their ids");
  events_.append(event, inputs);
  look(id, event);
}

void Journal::onBlock(const EventBlock& block, std::vector<std::byte> packed) {
  events_.append(std::move(packed));
  EventId id = block.first;
  for (const Event& event : block.events) look(id++, event);
  SL_CHECK(id == events_.size() + 1, "a whole block follows a whole one");
}

void Journal::look(EventId id, const Event& event) {
  if (firstError_ == 0 && event.kind == EventKind::Error) firstError_ = id;
  if (firstDifference_ == 0 && event.verdict == Verdict::Differs) firstDifference_ = id;
}

void Journal::onValue(const ValueRecord& value) {
  auto& list = valuesOf_[value.tensor][value.rank];
  list.insert(std::upper_bound(list.begin(), list.end(), value.event, isLater),
              &values_.emplace_back(value));
}

void Journal::onEnd(EventId id, std::int64_t duration) { events_.end(id, duration); }

void Journal::onTimings(EventId id, std::span<const std::optional<Timing>> timings) {
  SL_CHECK(timings.size() == processes_.size() && id <= events_.size(), "a time for each process");
  timings_.resize(events_.size() * processes_.size());
  std::copy(timings.begin(), timings.end(),
            timings_.begin() + static_cast<std::ptrdiff_t>((id - 1) * processes_.size()));
}

}  // namespace shardlens
