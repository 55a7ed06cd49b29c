#include "core/trace/merge/journal_merge.h"

#include "core/model/rank_ranges.h"
#include "core/model/ranks_text.h"
#include "core/trace/records/clock_record.h"
#include "core/trace/records/limits_record.h"
#include "core/trace/records/site_record.h"

#include <algorithm>
#include <optional>

namespace shardlens {

namespace {

// Decompressed blocks that the journals of all processes cache, some 96 KiB each. The merge reads
// each journal in at most two blocks at a time.
constexpr std::size_t kCachedBlocks = 1024;
constexpr std::size_t kLeastCached = 2, kMostCached = 16;

// See EventJoin.
std::uint8_t worth(EventKind kind) {
  if (kind == EventKind::Collective) return 2;
  return kind == EventKind::Compute ? 0 : 1;
}

}  // namespace

JournalMerge::JournalMerge(const std::vector<const Journal*>& processes, std::size_t ofRun)
    : join_(*this, processes.size()), buffers_(processes.size()) {
  const std::size_t sharing = std::max(processes.size(), ofRun);
  const auto cached = std::clamp(kCachedBlocks / sharing, kLeastCached, kMostCached);
  for (const Journal* journal : processes) journal->cacheBlocks(cached);
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
  if (std::ranges::any_of(processes, &Journal::isPart)) {
    journal_.setNumbers([parts = parts_](EventId id) { return parts->numberOf(id); });
  }
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

// Merges the metadata, which may arrive late. For each key except the limits the first process with
// a value wins. The clock of a process is not that of the merged times.
void JournalMerge::mergeMeta() {
  for (const auto& process : processes_) {
    for (const auto& [key, value] : process.journal->meta()) {
      if (key == kClockKey || key == kLimitsKey) continue;
      if (journal_.meta(key).empty()) journal_.onMeta(key, value);
    }
  }
  std::vector<std::pair<std::vector<int>, std::string_view>> limits;
  for (const auto& process : parts_->processes()) {
    limits.emplace_back(process.hosted, process.journal->meta(kLimitsKey));
  }
  const std::string merged = mergedLimits(limits);
  if (merged != journal_.meta(kLimitsKey)) journal_.onMeta(kLimitsKey, merged);
}

bool JournalMerge::take(bool whole, EventId most) {
  const EventId before = journal_.size();
  mergeMeta();
  noteGrowth(whole);
  join_.refresh();
  while (journal_.size() - before < most) {
    const auto& next = join_.next(whole);
    if (next.empty()) {
      if (!join_.isStepDone(whole) || !beginNextStep(whole)) break;
      continue;
    }
    merging_.clear();
    for (const std::uint32_t process : next) {
      merging_.push_back({process, processes_[process].next()});
    }
    merge(merging_);
    join_.join(journal_.size());
  }
  const bool ended = endSpans();
  const bool marked = takeBookmarks();
  return ended || marked || journal_.size() != before;
}

// If finish() began the step, and a process then recorded more, later steps cannot repeat the step:
// its events are not joined as they would be if all had been recorded before.
void JournalMerge::noteGrowth(bool whole) {
  std::size_t recorded = 0;
  for (const auto& process : processes_) recorded += process.journal->size();
  if (isAhead_ && recorded != recorded_) isJoining_ = false;
  isAhead_ |= whole;
  recorded_ = recorded;
}

// Merges the whole step if it repeats another one. Returns false if no process has more events.
bool JournalMerge::beginNextStep(bool whole) {
  std::optional<int> step;
  for (const auto& process : processes_) {
    if (!process.hasNext()) continue;
    const int its = process.journal->at(process.next()).step;
    step = step ? std::min(*step, its) : its;
  }
  if (!step) return false;
  if (isJoining_) keepStep();
  step_ = *step;
  parts_->beginStep();
  buffers_.beginStep();
  begin_ = stepBegin();
  isJoining_ = !repeatStep(whole);
  if (isJoining_) join_.beginStep();
  return true;
}

// If several processes mark one event, emplace() keeps the note of the first one.
bool JournalMerge::takeBookmarks() {
  Bookmarks now;
  for (const auto& process : processes_) {
    for (const auto& [own, note] : process.journal->bookmarks()) {
      if (own < process.next()) now.emplace(process.events->mergedOf(own), note);
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

JoinSource::Read JournalMerge::read(std::uint32_t process, EventId id, JoinEvent& into) {
  const Journal& journal = *processes_[process].journal;
  if (id > journal.size()) return Read::None;
  const Event event = journal.at(id);
  if (event.step > step_) return Read::LaterStep;
  into.key = keyIdOf(process, event);
  parts_->programs().add(process, id, programKeys_[into.key]);
  into.parent = event.parent;
  into.worth = worth(event.kind);
  into.isNumbered = event.kind == EventKind::Collective && event.sequence != 0;
  into.sequence = into.isNumbered ? event.sequence + shiftOf(process, event) : 0;
  return Read::Event;
}

EventKey JournalMerge::keyOf(std::uint32_t process, const Event& event) {
  EventKey key{.kind = event.kind,
               .verdict = event.verdict,
               .meshDim = event.meshDim,
               .subkind = event.subkind,
               .name = textOf(process, event.name),
               .route = routeOf(process, event.route),
               .isNumbered = event.kind == EventKind::Collective && event.sequence != 0,
               .late = step_ - event.step};
  if (key.isNumbered) {
    key.ranks = textOf(process, event.ranks);
    const bool isOfSeveral = journal_.text(key.ranks).find('|') != std::string_view::npos;
    key.group = isOfSeveral ? 0 : textOf(process, event.group);
  } else if (event.kind != EventKind::Step) {  // ranks may begin a step at different lines
    key.place = placeOf(process, event.site);
  }
  return key;
}

std::uint32_t JournalMerge::keyIdOf(std::uint32_t process, const Event& event) {
  const EventKey key = keyOf(process, event);
  std::uint32_t& last = processes_[process].key;
  const auto* expected = successors_[last];
  if (expected != nullptr && expected->first == key) return last = expected->second;
  const auto [known, isNew] = keys_.try_emplace(key, hosts_.size());
  if (isNew) {
    hosts_.push_back(key.ranks == 0 ? nullptr : hostsOfRanks(key.ranks));
    programKeys_.push_back(programKey(*processes_[process].journal, event));
    successors_.push_back(nullptr);
  }
  successors_[last] = &*known;
  return last = known->second;
}

// Files are not part of the place, because the machines of a job may have them in different
// folders.
std::uint32_t JournalMerge::placeOf(std::uint32_t number, StringId site) {
  auto& places = processes_[number].places;
  if (site == 0) return 0;
  if (site >= places.size()) places.resize(processes_[number].journal->strings() + 1);
  if (places[site] != 0) return places[site];
  SiteRecord record = readSite(processes_[number].journal->text(site));
  const auto next = static_cast<std::uint32_t>(places_.size()) + 1;
  const std::pair place{std::move(record.module), record.line};
  return places[site] = places_.try_emplace(place, next).first->second;
}

// A job numbers each group by itself, also in a collective that spans several ("0,1|2,3"). Such
// collectives are counted from the first one that a process calls.
std::uint32_t JournalMerge::shiftOf(std::uint32_t number, const Event& event) {
  const StringId ranks = textOf(number, event.ranks);
  if (journal_.text(ranks).find('|') == std::string_view::npos) return 0;
  auto& shifts = processes_[number].shifts;
  const auto [shift, isNew] = shifts.try_emplace(ranks, 0);
  if (!isNew) return shift->second;
  const StringId group = textOf(number, event.group);
  const auto& first = numbered_.try_emplace(ranks, group, event.sequence).first->second;
  if (first.first != group) shift->second = first.second - event.sequence;
  return shift->second;
}

const std::vector<std::uint32_t>* JournalMerge::hostsOfRanks(StringId ranks) {
  const auto [known, isNew] = hostsOf_.try_emplace(ranks);
  if (!isNew) return &known->second;
  for (const auto& range : parseRankRanges(journal_.text(ranks))) {
    parts_->addHosts(range, known->second);
  }
  std::sort(known->second.begin(), known->second.end());
  const auto repeated = std::unique(known->second.begin(), known->second.end());
  known->second.erase(repeated, known->second.end());
  return &known->second;
}

void JournalMerge::merge(const Parts& parts) {
  append(parts);
  for (const auto& part : parts) processes_[part.process].events->add(journal_.size());
}

// Appends the event of these parts to the merged journal.
void JournalMerge::append(const Parts& parts) {
  for (const auto& part : parts) {
    auto& process = processes_[part.process];
    process.head = process.journal->at(part.id);
  }
  const Event event = eventOf(parts);
  const auto inputs = inputsOf(parts);
  const EventId id = journal_.size() + 1;
  journal_.onEvent(id, event, inputs);
  if (event.duration == Event::kRunning) {
    running_.emplace_back(id, parts);
  } else {
    addToClocks(parts);
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
