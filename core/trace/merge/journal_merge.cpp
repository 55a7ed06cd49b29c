#include "core/trace/merge/journal_merge.h"

#include "core/model/rank_ranges.h"
#include "core/model/ranks_text.h"
#include "core/trace/records/clock_record.h"

#include <algorithm>

namespace shardlens {

namespace {

// Priority to stay aligned, for events that two processes have in opposite orders. The event with
// the lower value is merged alone.
int worth(EventKind kind) {
  if (kind == EventKind::Collective) return 2;
  return kind == EventKind::Compute ? 0 : 1;
}

}  // namespace

JournalMerge::JournalMerge(const std::vector<const Journal*>& processes)
    : buffers_(processes.size()) {
  auto parts = std::make_unique<MergedParts>(processes);
  parts_ = parts.get();
  for (auto& process : parts_->processes()) {
    auto& mine = processes_.emplace_back();
    mine.journal = process.journal;
    mine.events = &process.events;
  }
  mergeHosted();
  mergeMeta();
  journal_.setPartLookup([parts = parts_](EventId id, int rank) { return parts->part(id, rank); });
  journal_.keepValuesIn(std::move(parts));
}

void JournalMerge::mergeHosted() {
  std::vector<int> all;
  for (const auto& process : parts_->processes()) {
    all.insert(all.end(), process.hosted.begin(), process.hosted.end());
  }
  std::sort(all.begin(), all.end());
  journal_.onMeta("hosted", ranksText({all}));
}

// Merges the metadata, which may arrive late. For each key the first process with a value wins. The
// clock of a process is not that of the merged times.
void JournalMerge::mergeMeta() {
  for (const auto& process : processes_) {
    for (const auto& [key, value] : process.journal->meta()) {
      if (journal_.meta(key).empty() && key != kClockKey) journal_.onMeta(key, value);
    }
  }
}

bool JournalMerge::take(bool whole, EventId most) {
  const EventId before = journal_.size();
  mergeMeta();
  for (auto& process : processes_) process.readHead();
  while (journal_.size() - before < most) {
    const Parts parts = nextParts(whole);
    if (parts.empty()) break;
    merge(parts);
  }
  const bool ended = endSpans();
  const bool marked = takeBookmarks();
  return ended || marked || journal_.size() != before;
}

// If several processes mark one event, emplace() keeps the note of the first one.
bool JournalMerge::takeBookmarks() {
  Bookmarks now;
  for (const auto& process : processes_) {
    for (const auto& [own, note] : process.journal->bookmarks()) {
      if (own < process.next) now.emplace(process.events->mergedOf(own), note);
    }
  }
  if (now == journal_.bookmarks()) return false;
  journal_.setBookmarks(std::move(now));
  return true;
}

std::vector<JournalMerge::Part> JournalMerge::partsOf(EventId id) const {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    if (const EventId own = processes_[i].events->partOf(id); own != 0) parts.push_back({i, own});
  }
  return parts;
}

bool JournalMerge::hasRest() const {
  return std::any_of(processes_.begin(), processes_.end(),
                     [](const auto& p) { return p.hasNext(); });
}

// Selects the head event that no other process has later. Returns its parts; empty if undecided or
// done.
JournalMerge::Parts JournalMerge::nextParts(bool whole) {
  const bool allKnown =
      std::all_of(processes_.begin(), processes_.end(), [](const auto& p) { return p.hasNext(); });
  if (!allKnown && !whole) return {};
  if (allKnown && areAllAlike()) {
    Parts all(processes_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = {i, processes_[i].next};
    return all;
  }
  const auto firsts = heads();
  if (firsts.size() <= 1) return firsts.empty() ? Parts() : firsts.front();
  for (const auto& parts : firsts) {
    const Answer answer = isAwaited(parts, whole);
    if (answer == Answer::NotYet) return {};
    if (answer == Answer::No) return parts;
  }
  // Each head is before another in one process and after it in another. One of them is merged
  // alone.
  return *std::min_element(firsts.begin(), firsts.end(), [this](const Parts& a, const Parts& b) {
    return worth(at(a.front()).kind) < worth(at(b.front()).kind);
  });
}

bool JournalMerge::areAllAlike() {
  for (std::size_t i = 1; i < processes_.size(); ++i) {
    if (!alike(0, processes_[0].head, i, processes_[i].head)) return false;
  }
  return true;
}

// Returns the head events of the earliest step, grouped by match.
std::vector<JournalMerge::Parts> JournalMerge::heads() {
  int step = std::numeric_limits<int>::max();
  for (const auto& process : processes_) {
    if (process.hasNext()) step = std::min(step, process.head.step);
  }
  std::vector<Parts> all;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const Part head{i, processes_[i].next};
    if (!processes_[i].hasNext() || at(head).step != step) continue;
    const auto same = std::find_if(all.begin(), all.end(), [&](const Parts& parts) {
      return alike(parts.front().process, at(parts.front()), i, at(head));
    });
    (same == all.end() ? all.emplace_back() : *same).push_back(head);
  }
  return all;
}

JournalMerge::Answer JournalMerge::isAwaited(const Parts& parts, bool whole) {
  Answer answer = Answer::No;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const bool isPart = std::any_of(parts.begin(), parts.end(),
                                    [i](const Part& part) { return part.process == i; });
    if (isPart) continue;
    const Answer one = hasMatchAhead(parts.front().process, i, whole);
    if (one == Answer::NotYet) return one;
    if (one == Answer::Yes) answer = one;
  }
  return answer;
}

// Searches process `other` for a match of the head of `process` later in the same step. Each event
// of the step is indexed once, when a search first reaches it.
JournalMerge::Answer JournalMerge::hasMatchAhead(std::size_t process, std::size_t other,
                                                 bool whole) {
  const Event& event = processes_[process].head;
  auto& its = processes_[other];
  if (!mayRecord(process, other)) return Answer::No;
  if (its.ahead.step != event.step || its.ahead.end < its.next) {
    its.ahead = StepIndex(event.step, its.next);
  }
  const MatchKey key = keyOf(process, event);
  MatchKey alternative = key;  // a numbered collective also matches one without a number
  alternative.number =
      event.sequence == 0 ? MatchKey::Number::Numbered : MatchKey::Number::Unnumbered;
  alternative.group = alternative.sequence = 0;
  for (EventId from = its.next;;) {
    if (isAhead(process, other, key, from) || isAhead(process, other, alternative, from)) {
      return Answer::Yes;
    }
    from = its.ahead.end;
    if (its.ahead.isComplete) return Answer::No;
    if (from > its.journal->size()) return whole ? Answer::No : Answer::NotYet;
    lookFurther(other);
  }
}

MatchKey JournalMerge::keyOf(std::size_t process, const Event& event) {
  MatchKey key{event.kind,
               event.verdict,
               event.meshDim,
               event.subkind,
               textOf(process, event.name),
               routeOf(process, event.route)};
  if (event.sequence == 0) return key;
  key.number = MatchKey::Number::Exact;
  key.group = textOf(process, event.group);
  key.sequence = event.sequence;
  return key;
}

// Returns true if the index of `other` has a match of the head of `process` at or after `from`.
bool JournalMerge::isAhead(std::size_t process, std::size_t other, const MatchKey& key,
                           EventId from) {
  const auto& its = processes_[other];
  const auto found = its.ahead.events.find(key);
  if (found == its.ahead.events.end()) return false;
  const auto& ids = found->second;
  return std::any_of(std::lower_bound(ids.begin(), ids.end(), from), ids.end(), [&](EventId id) {
    return alike(process, processes_[process].head, other, its.journal->at(id));
  });
}

// Indexes some more events of the step. There must be one that is not indexed.
void JournalMerge::lookFurther(std::size_t other) {
  constexpr EventId kAtOnce = 64;
  auto& its = processes_[other];
  const EventId last = std::min(its.ahead.end + kAtOnce - 1, its.journal->size());
  for (; its.ahead.end <= last; ++its.ahead.end) {
    const Event later = its.journal->at(its.ahead.end);
    its.ahead.isComplete = later.step > its.ahead.step;
    if (its.ahead.isComplete) return;
    MatchKey key = keyOf(other, later);
    its.ahead.events[key].push_back(its.ahead.end);
    if (key.number == MatchKey::Number::Unnumbered) continue;
    key.number = MatchKey::Number::Numbered;
    key.group = key.sequence = 0;
    its.ahead.events[key].push_back(its.ahead.end);
  }
}

// Returns false if `other` cannot record the head of `process`: a numbered collective is recorded
// only by processes that host its members.
bool JournalMerge::mayRecord(std::size_t process, std::size_t other) {
  const Event& event = processes_[process].head;
  if (event.kind != EventKind::Collective || event.sequence == 0 || event.ranks == 0) return true;
  const StringId text = textOf(process, event.ranks);
  const auto [known, isNew] = members_.try_emplace(text);
  if (isNew) known->second = parseRankRanges(journal_.text(text));
  const auto& hosted = parts_->processes()[other].hosted;
  return std::any_of(hosted.begin(), hosted.end(),
                     [&members = known->second](int rank) { return contains(members, rank); });
}

// Returns true if the two events match. Enclosing spans that are not merged yet do not match.
bool JournalMerge::alike(std::size_t process, const Event& event, std::size_t other,
                         const Event& its) {
  const auto& mine = processes_[process];
  const auto& theirs = processes_[other];
  return event.kind == its.kind && event.verdict == its.verdict && event.meshDim == its.meshDim &&
         event.subkind == its.subkind && event.step == its.step && event.parent < mine.next &&
         its.parent < theirs.next &&
         mine.events->mergedOf(event.parent) == theirs.events->mergedOf(its.parent) &&
         textOf(process, event.name) == textOf(other, its.name) &&
         routeOf(process, event.route) == routeOf(other, its.route) &&
         (event.sequence == 0 || its.sequence == 0 || isSameCall(process, event, other, its));
}

// Requires two numbered collectives. One that spans several groups ("0,1|2,3") is a call of all of
// them, although a job numbers each group by itself.
bool JournalMerge::isSameCall(std::size_t process, const Event& event, std::size_t other,
                              const Event& its) {
  const StringId ranks = textOf(process, event.ranks), theirs = textOf(other, its.ranks);
  if (ranks != theirs && ranks != 0 && theirs != 0) return false;  // 0: an import may not know them
  if (textOf(process, event.group) == textOf(other, its.group)) {
    return event.sequence == its.sequence;
  }
  return ranks == theirs && journal_.text(ranks).find('|') != std::string_view::npos;
}

void JournalMerge::merge(const Parts& parts) {
  const Event event = eventOf(parts);
  const auto inputs = inputsOf(parts);
  const EventId id = journal_.size() + 1;
  journal_.onEvent(id, event, inputs);
  if (event.duration == Event::kRunning) {
    running_.emplace_back(id, parts);
  } else {
    addToClocks(parts);
  }
  for (const auto& part : parts) {
    auto& process = processes_[part.process];
    process.events->add(id);
    ++process.next;
    process.readHead();
  }
}

// Ends merged spans whose parts have all ended. The duration is the longest of the parts, and so is
// the exposed time.
bool JournalMerge::endSpans() {
  return 0 < std::erase_if(running_, [&](const auto& span) {
           std::int64_t longest = 0, exposed = 0;
           for (const auto& part : span.second) {
             const Event its = processes_[part.process].journal->at(part.id);
             if (its.duration == Event::kRunning) return false;
             longest = std::max(longest, its.duration);
             exposed = std::max(exposed, its.exposed);
           }
           if (exposed > 0) journal_.onExposed(span.first, exposed);
           journal_.onEnd(span.first, longest);
           addToClocks(span.second);
           return true;
         });
}

// Compares the clocks by a collective whose parts have all ended. Each of its groups is one call.
void JournalMerge::addToClocks(const Parts& parts) {
  Clocks& clocks = parts_->clocks();
  if (!clocks.usesCollectives() || parts.size() < 2) return;
  std::map<std::pair<StringId, std::uint32_t>, std::vector<Clocks::Call>> calls;
  for (const auto& part : parts) {
    const Event event = processes_[part.process].journal->at(part.id);
    if (event.kind != EventKind::Collective || event.sequence == 0) return;
    calls[{textOf(part.process, event.group), event.sequence}].push_back({part.process, event});
  }
  for (const auto& [call, members] : calls) clocks.add(members);
}

}  // namespace shardlens
