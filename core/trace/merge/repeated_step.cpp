// The part of JournalMerge that merges steps which repeat an earlier step.
#include "core/trace/merge/journal_merge.h"

#include <algorithm>
#include <span>

namespace shardlens {
namespace {

// Steps that later ones may repeat: the usual one, and those with an evaluation, for example. Their
// events together are not more than those of the largest step.
constexpr std::size_t kMostKnown = 4;

// Where steps do not repeat, only the first kTried of each kOf steps are kept and compared, which
// costs as much as joining their events.
constexpr std::size_t kTried = 8, kOf = 64;

}  // namespace

StepBegin JournalMerge::stepBegin() const {
  StepBegin begin{.step = step_,
                  .processes = {},
                  .merged = journal_.size(),
                  .mergedTensors = parts_->tensors().size()};
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    begin.processes.push_back({processes_[i].next(), parts_->tensors().highestOf(i)});
  }
  return begin;
}

// Keeps the step that is joined, so that later ones can repeat it.
void JournalMerge::keepStep() {
  if (!mayRepeat_ || joinedInTurn_ % kOf >= kTried) return;
  auto joined = JoinedStep::of(begin_, *parts_, journal_);
  if (!joined) return;
  std::size_t events = joined->events();
  const auto fits = [&](const auto& known) {
    events += known->events();
    return events <= JoinedStep::kMostEvents;
  };
  known_.erase(std::ranges::find_if_not(known_, fits), known_.end());
  if (known_.size() == kMostKnown) known_.pop_back();
  known_.insert(known_.begin(), std::move(joined));
}

// Merges the step if it repeats another one. Returns false if it does not, as far as is known.
bool JournalMerge::repeatStep(bool whole) {
  if (!mayRepeat_ || joinedInTurn_++ % kOf >= kTried) return false;
  const auto known = std::ranges::find_if(known_, [&](const auto& each) {
    return each->isRepeated(begin_, *parts_, whole, repeated_);
  });
  if (known == known_.end()) return false;
  std::rotate(known_.begin(), known, std::next(known));
  repeat(*known_.front());
  ++repeatedSteps_;
  joinedInTurn_ = 0;
  return true;
}

void JournalMerge::repeat(const JoinedStep& known) {
  repeatParts(known);
  const bool usesCollectives = parts_->clocks().usesCollectives();
  std::span<const TensorId> left = known.inputs();
  for (std::size_t place = 0; place < known.merged().size(); ++place) {
    const bool isSame = repeated_.isSame[place] != 0;
    const auto inputs = left.first(known.merged()[place].inputs);
    left = left.subspan(inputs.size());
    merging_.clear();
    if (!isSame || usesCollectives) {
      for (const auto& [process, own] : known.partsOf(place)) {
        merging_.push_back({process, begin_.processes[process].next + own});
      }
    }
    if (!isSame) {
      append(merging_);
      continue;
    }
    Event event = repeatedEvent(known, place);
    inputs_.clear();
    for (const TensorId input : inputs) inputs_.push_back(repeatedTensor(known, input));
    if (usesCollectives) event.time = timeOf(merging_);
    journal_.onEvent(journal_.size() + 1, event, inputs_);
    if (usesCollectives) addToClocks(merging_);
  }
}

// Maps the events and tensors of the processes. All events of the step are mapped before the merged
// ones are made, which refer only to earlier ones.
void JournalMerge::repeatParts(const JoinedStep& known) {
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const auto& [next, lastTensor] = begin_.processes[i];
    for (const auto& tensor : known.newTensors(i)) {
      parts_->tensors().map({i, lastTensor + tensor.own}, begin_.mergedTensors + tensor.merged);
    }
    const EventId events = known.eventsOf(i);
    if (events != 0) {
      known.align(i, begin_.merged, *processes_[i].events);
      parts_->programs().add(i, {next, known.programOf(i)});
    }
    join_.skip(static_cast<std::uint32_t>(i), events, repeated_.hasLater[i]);
  }
  for (const auto& [name, spec] : known.mergedTensors()) {
    journal_.onTensor(journal_.tensors() + 1, name, spec);
  }
}

// Returns a merged event whose parts differ from those of the known step only in their times, bytes
// and counts.
Event JournalMerge::repeatedEvent(const JoinedStep& known, std::size_t place) {
  const Event& same = known.merged()[place];
  const std::size_t first = known.partsOf(place).front().first;
  const EventId before = known.begin().merged;
  const auto reference = [&](Reference of, std::uint32_t mine, std::uint32_t its) {
    if (of == Reference::Tensor) return repeatedTensor(known, its);
    return of == Reference::Event ? processes_[first].events->mergedOf(mine) : mine;
  };
  const Event& its = repeated_.firsts[place];
  Event event = same;
  event.time = repeated_.sums[place].time;
  event.duration = repeated_.sums[place].duration;
  event.exposed = repeated_.sums[place].exposed;
  event.bytes = repeated_.sums[place].bytes;
  event.parent = same.parent > before ? same.parent - before + begin_.merged : same.parent;
  event.related = reference(relatedOf(event.kind), its.related, same.related);
  event.subject = reference(subjectOf(event.kind), its.subject, same.subject);
  event.count = static_cast<std::int32_t>(
      reference(countOf(event.kind), static_cast<std::uint32_t>(its.count), 0));
  event.line = its.line;
  event.step = its.step;
  event.sequence = its.sequence;
  return event;
}

// Returns the merged tensor that is to the step what `id` was to the known one.
TensorId JournalMerge::repeatedTensor(const JoinedStep& known, TensorId id) const {
  const TensorId before = known.begin().mergedTensors;
  return id > before ? id - before + begin_.mergedTensors : id;
}

// Returns the earliest time of the parts of an event, as far as the clocks are compared now.
std::int64_t JournalMerge::timeOf(const Parts& parts) const {
  std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
  for (const auto& [process, id] : parts) {
    const std::int64_t own = processes_[process].journal->at(id).time;
    earliest = std::min(earliest, parts_->clocks().read(process, own).time);
  }
  return earliest;
}

}  // namespace shardlens
