#include "core/trace/merge/event_join.h"

#include <algorithm>
#include <utility>

namespace shardlens {
namespace {

// Events that are read of a process in turn. Its data is in the processor's cache for all but the
// first of them.
constexpr int kReadInTurn = 4;

}  // namespace

void EventJoin::beginStep() {
  for (Process& process : processes_) process.isStepRead = process.isStarved = false;
  starved_ = 0;
  refresh();
}

void EventJoin::skip(std::uint32_t number, EventId events, bool hasLater) {
  Process& process = processes_[number];
  starved_ -= static_cast<std::size_t>(process.isStarved);
  process.first += events;
  process.ahead.clear();
  process.joined = 0;
  process.isStepRead = hasLater;
  process.isStarved = !hasLater;
  starved_ += static_cast<std::size_t>(process.isStarved);
}

void EventJoin::refresh() {
  unread_.clear();
  for (std::uint32_t i = 0; i < processes_.size(); ++i) {
    Process& process = processes_[i];
    if (process.isStepRead) continue;
    unread_.push_back(i);
    if (process.isStarved) --starved_;
    process.isStarved = false;
    if (!process.hasArrived) arrive(i);
  }
}

// Reads one more event of the process. Returns false if there is none.
bool EventJoin::readMore(std::uint32_t number) {
  Process& process = processes_[number];
  const auto place = process.ahead.size();
  const auto id = process.first + static_cast<EventId>(place - process.joined);
  JoinEvent event;
  const auto read = source_.read(number, id, event);
  process.isStepRead = read == JoinSource::Read::LaterStep;
  if (read != JoinSource::Read::Event) return false;
  std::uint32_t slot = 0;
  if (event.isNumbered) {
    slot = slotOf(event.key, event.sequence, event.worth);
  } else if (event.parent < process.first) {
    slot = slotOf(event.key, source_.mergedOf(number, event.parent), event.worth);
  }
  Ahead& ahead = process.ahead.emplace_back(Ahead{event.key, slot, 0, 0, event.worth});
  if (slot != 0) {
    count(number, slot);
  } else {
    Ahead& parent = process.ahead[process.joined + (event.parent - process.first)];
    ahead.sibling = parent.child;
    parent.child = static_cast<std::uint32_t>(place) + 1;
  }
  return true;
}

// Adds the first event of the process to the heads of its slot, if it has one in this step.
void EventJoin::arrive(std::uint32_t number) {
  Process& process = processes_[number];
  if (process.joined == process.ahead.size()) {
    process.ahead.clear();
    process.joined = 0;
    if (!readMore(number)) {
      process.isStarved = !process.isStepRead;
      starved_ += static_cast<std::size_t>(process.isStarved);
      return;
    }
    for (int more = 1; more < kReadInTurn && readMore(number); ++more) {
    }
  }
  process.hasArrived = true;
  ++arrived_;
  const std::uint32_t id = process.ahead[process.joined].slot;
  Slot& slot = slots_[id];
  const bool isLowest = slot.heads.empty() || number < slot.lowest;
  slot.heads.push_back(number);
  if (isLowest) {
    slot.lowest = number;
    slot.isQueued = false;
    if (reached_.size() > 4 * processes_.size() + 64) forgetJoined();
    reached_.emplace(slot.worth, number, id, slot.version);
  }
  queue(id);
}

// Removes the entries of slots whose heads are joined.
void EventJoin::forgetJoined() {
  Queue current;
  for (; !reached_.empty(); reached_.pop()) {
    if (isCurrent(reached_.top())) current.push(reached_.top());
  }
  reached_ = std::move(current);
}

// Queues a slot if it is due, as far as is known.
void EventJoin::queue(std::uint32_t id) {
  Slot& slot = slots_[id];
  if (slot.isQueued || slot.heads.empty() || slot.heads.size() != slot.holders) return;
  slot.isQueued = true;
  due_.emplace(0, slot.lowest, id, slot.version);
}

bool EventJoin::isCurrent(const Queued& queued) const {
  const auto [worth, lowest, id, version] = queued;
  const Slot& slot = slots_[id];
  return slot.version == version && slot.lowest == lowest && !slot.heads.empty();
}

const std::vector<std::uint32_t>& EventJoin::next(bool whole) {
  next_.clear();
  if (arrived_ == 0 || (!whole && starved_ > 0)) return next_;
  for (chosen_ = 0; chosen_ == 0 && !due_.empty();) {
    const Queued top = due_.top();
    const std::uint32_t id = std::get<2>(top);
    const Answer answer = isCurrent(top) ? isAwaited(id, whole) : Answer::Yes;
    if (answer == Answer::NotYet) return next_;
    due_.pop();
    if (answer == Answer::No) {
      chosen_ = id;
    } else if (isCurrent(top)) {
      slots_[id].isQueued = false;  // queued again when it is due
    }
  }
  while (chosen_ == 0) {
    if (isCurrent(reached_.top())) chosen_ = std::get<2>(reached_.top());
    reached_.pop();
  }
  next_ = slots_[chosen_].heads;
  std::sort(next_.begin(), next_.end());
  return next_;
}

// Returns whether a process that has not reached the slot has an event of it ahead.
EventJoin::Answer EventJoin::isAwaited(std::uint32_t id, bool whole) {
  const Slot& slot = slots_[id];
  if (slot.holders > slot.heads.size()) return Answer::Yes;
  const auto key = static_cast<std::uint32_t>(slot.id >> 32U);
  const auto* hosts = source_.hostsOf(key);
  if (slot.heads.size() >= (hosts == nullptr ? processes_.size() : hosts->size())) {
    return Answer::No;
  }
  if (hosts != nullptr) {
    for (const std::uint32_t host : *hosts) {
      if (const Answer answer = isAwaitedBy(host, id, whole); answer != Answer::No) return answer;
    }
    return Answer::No;
  }
  for (std::size_t i = 0; i < unread_.size();) {
    const std::uint32_t process = unread_[i];
    if (const Answer answer = isAwaitedBy(process, id, whole); answer != Answer::No) return answer;
    if (processes_[process].isStepRead) {
      unread_[i] = unread_.back();
      unread_.pop_back();
    } else {
      ++i;
    }
  }
  return Answer::No;
}

EventJoin::Answer EventJoin::isAwaitedBy(std::uint32_t number, std::uint32_t id, bool whole) {
  const Process& process = processes_[number];
  if (process.hasArrived && process.ahead[process.joined].slot == id) return Answer::No;
  while (!process.isStepRead) {
    const bool hasMore = readMore(number);
    if (slots_[id].holders > slots_[id].heads.size()) return Answer::Yes;
    if (!hasMore && !process.isStepRead) return whole ? Answer::No : Answer::NotYet;
  }
  return Answer::No;
}

void EventJoin::join(EventId merged) {
  slots_[chosen_].heads.clear();
  slots_[chosen_].isQueued = false;
  ++slots_[chosen_].version;
  for (const std::uint32_t number : next_) {
    Process& process = processes_[number];
    const Ahead& ahead = process.ahead[process.joined];
    for (std::uint32_t child = ahead.child; child != 0;) {
      Ahead& inside = process.ahead[child - 1];
      inside.slot = slotOf(inside.key, merged, inside.worth);
      count(number, inside.slot);
      child = inside.sibling;
    }
    ++process.first;
    ++process.joined;
    process.hasArrived = false;
    --arrived_;
    uncount(number, chosen_);
  }
  for (const std::uint32_t number : next_) arrive(number);
}

std::uint32_t EventJoin::slotOf(std::uint32_t key, std::uint32_t of, std::uint8_t worth) {
  const std::uint64_t id = std::uint64_t{key} << 32U | of;
  std::uint32_t& known = slotIds_[id];
  if (known != 0) return known;
  if (freeSlots_.empty()) {
    known = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back();
  } else {
    known = freeSlots_.back();
    freeSlots_.pop_back();
  }
  slots_[known].id = id;
  slots_[known].worth = worth;
  return known;
}

void EventJoin::count(std::uint32_t process, std::uint32_t slot) {
  slots_[slot].holders += processes_[process].counts[slot]++ == 0 ? 1 : 0;
}

void EventJoin::uncount(std::uint32_t process, std::uint32_t id) {
  auto& counts = processes_[process].counts;
  if (--counts[id] != 0) return;
  counts.erase(id);
  if (--slots_[id].holders != 0) return;
  slotIds_.erase(slots_[id].id);
  freeSlots_.push_back(id);
}

}  // namespace shardlens
