#include "core/trace/merge/journal_merge.h"

#include "core/model/ranks_text.h"
#include "core/trace/journal/tensor_ranks.h"

#include <algorithm>
#include <limits>

namespace shardlens {

namespace {

// So far an event is looked for among those of another process: where they part, they soon meet
// again.
constexpr EventId kFarthest = 4096;

}  // namespace

JournalMerge::JournalMerge(const std::vector<const Journal*>& processes)
    : tensors_(processes.size()), buffers_(processes.size()) {
  for (const Journal* journal : processes) {
    auto& process = processes_.emplace_back();
    process.journal = journal;
    process.hosted = hostedRanks(*journal);
  }
  mergeMeta();
}

void JournalMerge::mergeMeta() {
  std::vector<std::vector<int>> hosted;
  std::vector<int> all;
  for (const auto& process : processes_) {
    hosted.push_back(process.hosted);
    all.insert(all.end(), process.hosted.begin(), process.hosted.end());
  }
  std::sort(all.begin(), all.end());
  for (const auto& [key, value] : processes_.front().journal->meta()) journal_.onMeta(key, value);
  journal_.onMeta("hosted", ranksText({all}));
  journal_.onProcesses(std::move(hosted));
}

bool JournalMerge::take(bool whole, const Progress& progress) {
  constexpr EventId kOften = 64 * kBlockEvents;
  bool any = false;
  for (std::size_t i = 0; i < processes_.size(); ++i) any |= takeValues(i);
  for (Parts parts = nextParts(whole); !parts.empty(); parts = nextParts(whole)) {
    merge(parts);
    any = true;
    if (progress && journal_.size() % kOften == 0) {
      progress(static_cast<double>(journal_.size()) / processes_.front().journal->size());
    }
  }
  return endSpans() || any;
}

// Among several first events the one whose like nobody else has still before them.
JournalMerge::Parts JournalMerge::nextParts(bool whole) const {
  const bool allKnown =
      std::all_of(processes_.begin(), processes_.end(), [](const auto& p) { return p.hasNext(); });
  if (!allKnown && !whole) return {};
  const auto firsts = heads();
  if (firsts.size() <= 1) return firsts.empty() ? Parts() : firsts.front();
  for (const auto& parts : firsts) {
    const Answer answer = isAwaited(parts, whole);
    if (answer == Answer::NotYet) return {};
    if (answer == Answer::No) return parts;
  }
  return firsts.front();
}

// The next events of the processes whose step is the earliest, those that are alike together.
std::vector<JournalMerge::Parts> JournalMerge::heads() const {
  int step = std::numeric_limits<int>::max();
  for (const auto& process : processes_) {
    if (process.hasNext()) step = std::min(step, process.journal->at(process.next).step);
  }
  std::vector<Parts> all;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const Part head{i, processes_[i].next};
    if (!processes_[i].hasNext() || at(head).step != step) continue;
    const auto same = std::find_if(all.begin(), all.end(),
                                   [&](const Parts& parts) { return alike(parts.front(), head); });
    (same == all.end() ? all.emplace_back() : *same).push_back(head);
  }
  return all;
}

JournalMerge::Answer JournalMerge::isAwaited(const Parts& parts, bool whole) const {
  Answer answer = Answer::No;
  for (const auto& process : processes_) {
    const bool isPart = std::any_of(parts.begin(), parts.end(), [&](const Part& part) {
      return &processes_[part.process] == &process;
    });
    if (isPart) continue;
    const Answer one = willCome(parts.front(), process, whole);
    if (one == Answer::NotYet) return one;
    if (one == Answer::Yes) answer = one;
  }
  return answer;
}

// Whether the other process has its part of the event later in the same step.
JournalMerge::Answer JournalMerge::willCome(const Part& part, const Process& other,
                                            bool whole) const {
  const auto number = static_cast<std::size_t>(&other - processes_.data());
  for (EventId id = other.next; id < other.next + kFarthest; ++id) {
    if (id > other.journal->size()) return whole ? Answer::No : Answer::NotYet;
    if (other.journal->at(id).step > at(part).step) return Answer::No;
    if (alike(part, {number, id})) return Answer::Yes;
  }
  return Answer::No;
}

// The spans they are in have been merged, or they are not alike.
bool JournalMerge::alike(const Part& a, const Part& b) const {
  const Event x = at(a);
  const Event y = at(b);
  const auto& mine = processes_[a.process];
  const auto& others = processes_[b.process];
  return x.kind == y.kind && x.verdict == y.verdict && x.meshDim == y.meshDim && x.step == y.step &&
         x.parent < mine.next && y.parent < others.next &&
         mine.merged[x.parent] == others.merged[y.parent] &&
         mine.journal->name(x) == others.journal->name(y);
}

void JournalMerge::merge(const Parts& parts) {
  Event event = eventOf(parts);
  const auto inputs = inputsOf(parts);
  const auto timings = timingsOf(parts, event);
  const EventId id = journal_.size() + 1;
  journal_.onEvent(id, event, inputs);
  journal_.onTimings(id, timings);
  if (event.duration == Event::kRunning) running_.emplace_back(id, parts);
  for (const auto& part : parts) {
    auto& process = processes_[part.process];
    process.merged.push_back(id);
    ++process.next;
    const auto early = process.early.extract(part.id);
    if (early.empty()) continue;
    for (const auto* value : early.mapped()) place(part.process, *value);
  }
}

// From when the first one began, as long as it took the slowest: their clocks began at different
// moments, so that an end of one says nothing beside a beginning of another.
JournalMerge::Timings JournalMerge::timingsOf(const Parts& parts, Event& event) const {
  Timings timings(processes_.size());
  event.time = std::numeric_limits<std::int64_t>::max();
  event.duration = 0;
  bool running = false;
  for (const auto& part : parts) {
    const Event mine = at(part);
    timings[part.process] = Timing{mine.time, mine.duration};
    event.time = std::min(event.time, mine.time);
    event.duration = std::max(event.duration, mine.duration);
    running |= mine.duration == Event::kRunning;
  }
  if (running) event.duration = Event::kRunning;
  return timings;
}

bool JournalMerge::endSpans() {
  bool any = false;
  std::erase_if(running_, [&](const auto& span) {
    const auto& [id, parts] = span;
    const auto hasEnded = [&](const Part& part) { return at(part).duration != Event::kRunning; };
    if (!std::any_of(parts.begin(), parts.end(), hasEnded)) return false;
    Event event = journal_.at(id);
    const auto timings = timingsOf(parts, event);
    journal_.onTimings(id, timings);
    if (event.duration == Event::kRunning) return false;
    journal_.onEnd(id, event.duration);
    any = true;
    return true;
  });
  return any;
}

bool JournalMerge::takeValues(std::size_t number) {
  auto& process = processes_[number];
  const auto& values = process.journal->values();
  const bool any = process.values < values.size();
  for (; process.values < values.size(); ++process.values) {
    const ValueRecord& value = values[process.values];
    if (value.event < process.next) {
      place(number, value);
    } else {
      process.early[value.event].push_back(&value);
    }
  }
  return any;
}

// Where its event is merged: at once, or when something names its tensor.
void JournalMerge::place(std::size_t number, const ValueRecord& value) {
  auto& process = processes_[number];
  const TensorId tensor = tensors_.mergedOf(number, value.tensor);
  if (tensor == 0) {
    process.unnamed[value.tensor].push_back(&value);
  } else {
    put(value, tensor, process.merged[value.event]);
  }
}

void JournalMerge::put(const ValueRecord& value, TensorId tensor, EventId event) {
  ValueRecord merged = value;
  merged.tensor = tensor;
  merged.event = event;
  journal_.onValue(merged);
}

// What a process has had of a tensor before an event named it.
void JournalMerge::placeUnnamed(std::size_t number, TensorId tensor, TensorId into) {
  auto& process = processes_[number];
  const auto waiting = process.unnamed.extract(tensor);
  if (waiting.empty()) return;
  for (const auto* value : waiting.mapped()) put(*value, into, process.merged[value->event]);
}

}  // namespace shardlens
