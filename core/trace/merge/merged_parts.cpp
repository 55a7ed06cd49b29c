#include "core/trace/merge/merged_parts.h"

#include "core/trace/journal/tensor_ranks.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace shardlens {

MergedParts::MergedParts(const std::vector<const Journal*>& processes)
    : tensors_(processes.size()), clocks_(processes), programs_(processes.size()) {
  const auto patterns = std::make_shared<RunPatterns>();
  for (const Journal* journal : processes) {
    auto hosted = hostedRanks(*journal);
    for (const int rank : hosted) {
      const auto place = static_cast<std::size_t>(rank);
      if (place >= hosts_.size()) hosts_.resize(place + 1);
      if (hosts_[place] == 0) hosts_[place] = static_cast<std::uint32_t>(processes_.size()) + 1;
    }
    processes_.push_back({journal, std::move(hosted), Alignment(patterns)});
  }
}

void MergedParts::beginStep() {
  programs_.beginStep();
  tensors_.beginStep();
  for (Process& process : processes_) process.events.beginStep();
}

const MergedParts::Process* MergedParts::hostOf(int rank) const {
  const auto place = static_cast<std::size_t>(rank);
  if (rank < 0 || place >= hosts_.size() || hosts_[place] == 0) return nullptr;
  return &processes_[hosts_[place] - 1];
}

void MergedParts::addHosts(const RankRange& ranks, std::vector<std::uint32_t>& to) const {
  const auto last = std::min<std::size_t>(static_cast<std::size_t>(ranks.last) + 1, hosts_.size());
  for (auto rank = static_cast<std::size_t>(ranks.first); rank < last; ++rank) {
    if (hosts_[rank] != 0) to.push_back(hosts_[rank] - 1);
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

std::string MergedParts::numberOf(EventId id) const {
  for (const Process& process : processes_) {
    if (const EventId own = process.events.partOf(id); own != 0 && !process.hosted.empty()) {
      return std::to_string(process.hosted.front()) + ":" + process.journal->numberOf(own);
    }
  }
  return std::to_string(id);
}

std::string_view MergedParts::deviceOf(EventId id, int rank) const {
  const Process* process = hostOf(rank);
  const EventId own = process == nullptr ? 0 : process->events.partOf(id);
  return own == 0 ? std::string_view() : process->journal->text(process->journal->at(own).device);
}

EventId MergedParts::lastEventOf(int rank) const {
  const Process* process = hostOf(rank);
  return process == nullptr ? 0 : process->events.mergedOf(process->events.size());
}

EventId MergedParts::previousEventOf(int rank, EventId before) const {
  const Process* process = hostOf(rank);
  return process == nullptr || before == 0
             ? 0
             : process->events.mergedOf(process->events.newest(before - 1));
}

EventId MergedParts::nextEventOf(int rank, EventId after) const {
  const Process* process = hostOf(rank);
  if (process == nullptr) return 0;
  const EventId own = process->events.newest(after) + 1;
  return own <= process->events.size() ? process->events.mergedOf(own) : 0;
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

EventId lastEventOf(const Journal& journal, int rank) {
  const auto* parts = dynamic_cast<const MergedParts*>(&journal.values());
  if (parts != nullptr) return parts->lastEventOf(rank);
  EventId id = journal.size();
  while (id > 0 && !journal.part(id, rank)) --id;
  return id;
}

EventId lastCallOf(const Journal& journal, int rank) {
  const auto* parts = dynamic_cast<const MergedParts*>(&journal.values());
  EventId id = lastEventOf(journal, rank);
  while (id > 0 && (journal.at(id).kind == EventKind::Error || !journal.part(id, rank))) {
    id = parts != nullptr ? parts->previousEventOf(rank, id) : id - 1;
  }
  return id;
}

bool hasContinuedAfter(const Journal& journal, int rank, EventId id) {
  const auto* parts = dynamic_cast<const MergedParts*>(&journal.values());
  const EventId last = lastEventOf(journal, rank);
  while (id < last) {
    id = parts != nullptr ? parts->nextEventOf(rank, id) : id + 1;
    const auto part = journal.part(id, rank);
    if (part && part->duration != Event::kRunning) return true;
  }
  return false;
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

StringId groupOf(const Journal& journal, const Event& collective) {
  if (!journal.isMerged() || collective.ranks == collective.group) return collective.group;
  const auto first = journal.text(collective.group);
  const auto all = journal.text(collective.ranks);
  const bool isOneOfAll = all.starts_with(first) && all.substr(first.size()).starts_with('|');
  return isOneOfAll ? collective.ranks : collective.group;
}

std::int64_t endOf(const Journal& journal) {
  const auto* parts = dynamic_cast<const MergedParts*>(&journal.values());
  if (parts == nullptr) return journal.totals().end();
  std::int64_t end = 0;
  for (std::size_t i = 0; i < parts->processes().size(); ++i) {
    const std::int64_t own = parts->processes()[i].journal->totals().end();
    end = std::max(end, parts->clocks().read(i, own).time);
  }
  return end;
}

}  // namespace shardlens
