#include "core/trace/merge/merged_parts.h"

#include "core/trace/journal/tensor_ranks.h"

#include <algorithm>
#include <utility>

namespace shardlens {

MergedParts::MergedParts(const std::vector<const Journal*>& processes)
    : tensors_(processes.size()), clocks_(processes) {
  for (const Journal* journal : processes) {
    for (const int rank : hostedRanks(*journal)) hosts_.emplace(rank, processes_.size());
    processes_.push_back({journal, hostedRanks(*journal), {}});
  }
}

const MergedParts::Process* MergedParts::hostOf(int rank) const {
  const auto found = hosts_.find(rank);
  return found == hosts_.end() ? nullptr : &processes_[found->second];
}

void MergedParts::addHosts(const RankRange& ranks, std::vector<std::uint32_t>& to) const {
  const auto end = hosts_.upper_bound(ranks.last);
  for (auto host = hosts_.lower_bound(ranks.first); host != end; ++host) {
    to.push_back(static_cast<std::uint32_t>(host->second));
  }
}

std::optional<EventPart> MergedParts::part(EventId id, int rank) const {
  const Process* process = hostOf(rank);
  const EventId own = process == nullptr ? 0 : process->events.partOf(id);
  if (own == 0) return std::nullopt;
  const Event event = process->journal->at(own);
  const bool isAlone = process->hosted.size() == 1;
  const auto [time, clock, error] = clocks_.read(numberOf(*process), event.time);
  return EventPart{time, event.duration, isAlone ? event.bytes : 0, event.exposed, clock, error};
}

std::string_view MergedParts::deviceOf(EventId id, int rank) const {
  const Process* process = hostOf(rank);
  const EventId own = process == nullptr ? 0 : process->events.partOf(id);
  return own == 0 ? std::string_view() : process->journal->text(process->journal->at(own).device);
}

std::size_t MergedParts::size() const {
  std::size_t size = 0;
  for (const auto& process : processes_) size += process.journal->values().size();
  return size;
}

std::optional<ValueRecord> MergedParts::at(std::size_t number) const {
  for (const auto& process : processes_) {
    const ShardValues& values = process.journal->values();
    if (number < values.size()) {
      auto value = values.at(number);
      return value ? std::optional(merged(process, std::move(*value))) : std::nullopt;
    }
    number -= values.size();
  }
  return std::nullopt;
}

std::optional<ValueRecord> MergedParts::newest(TensorId tensor, int rank, EventId position) const {
  const Process* process = hostOf(rank);
  if (process == nullptr) return std::nullopt;
  const TensorId own = tensors_.ownOf(numberOf(*process), tensor);
  if (own == 0) return std::nullopt;
  auto value = process->journal->value(own, rank, process->events.newest(position));
  return value ? std::optional(merged(*process, std::move(*value))) : std::nullopt;
}

std::vector<int> MergedParts::ranksOf(TensorId tensor) const {
  std::vector<int> all;
  for (const auto& process : processes_) {
    const TensorId own = tensors_.ownOf(numberOf(process), tensor);
    if (own == 0) continue;
    for (const int rank : process.journal->ranksOf(own)) {
      if (hostOf(rank) == &process) all.push_back(rank);
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

Content MergedParts::elements(const ValueRecord& value) const {
  const Process* process = hostOf(value.rank);
  if (process == nullptr) return nullptr;
  ValueRecord own = value;
  own.tensor = tensors_.ownOf(numberOf(*process), value.tensor);
  return own.tensor == 0 ? nullptr : process->journal->elements(own);
}

std::vector<EventId> MergedParts::eventsWithNans(EventId after, EventId last) const {
  std::vector<EventId> all;
  for (const auto& process : processes_) {
    const EventId first = process.events.newest(after);
    for (const EventId own :
         process.journal->values().eventsWithNans(first, process.events.newest(last))) {
      all.push_back(process.events.mergedOf(own));
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

ValueRecord MergedParts::merged(const Process& process, ValueRecord value) const {
  value.tensor = tensors_.mergedOf(numberOf(process), value.tensor);
  value.event = value.event <= process.events.size() ? process.events.mergedOf(value.event) : 0;
  return value;
}

std::string_view deviceOf(const Journal& journal, EventId event, int rank) {
  if (journal.isMerged()) {
    const auto* parts = dynamic_cast<const MergedParts*>(&journal.values());
    return parts == nullptr ? std::string_view() : parts->deviceOf(event, rank);
  }
  return contains(hostedRanges(journal), rank) ? journal.text(journal.at(event).device)
                                               : std::string_view();
}

std::vector<RankClock> rankClocks(const Journal& journal) {
  const auto* parts = dynamic_cast<const MergedParts*>(&journal.values());
  if (parts == nullptr) return {};
  std::vector<RankClock> all;
  for (std::size_t i = 0; i < parts->processes().size(); ++i) {
    const auto& process = parts->processes()[i];
    const EventId newest = process.journal->size();
    const auto [start, clock, error] = parts->clocks().read(i, 0);
    const std::int64_t last = newest == 0 ? 0 : process.journal->at(newest).time;
    const std::int64_t most = std::max(error, parts->clocks().read(i, last).error);
    for (const int rank : process.hosted) all.push_back({rank, start, clock, most});
  }
  std::sort(all.begin(), all.end(),
            [](const RankClock& a, const RankClock& b) { return a.rank < b.rank; });
  return all;
}

}  // namespace shardlens
