#include "core/trace/merge/joined_step.h"

#include "core/base/wrapped_sum.h"
#include "core/model/hash.h"
#include "core/trace/events/event_references.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace shardlens {
namespace {

// Marks ids that count from the begin of the step.
constexpr std::uint32_t kInStep = std::uint32_t{1} << 31U;
// Marks a numbered collective in Shape::kinds, beside its kind.
constexpr std::uint32_t kNumbered = std::uint32_t{1} << 7U;

}  // namespace

[[gnu::always_inline]] inline TensorId JoinedStep::relativeTensor(TensorId id,
                                                                  const StepBegin::Process& begin) {
  return id > begin.lastTensor ? (id - begin.lastTensor) | kInStep : id;
}

[[gnu::always_inline]] inline JoinedStep::Shape JoinedStep::shapeOf(
    const Event& event, const StepBegin::Process& begin) {
  const bool isNumbered = event.kind == EventKind::Collective && event.sequence != 0;
  const auto tensor = [&](std::uint32_t id, Reference reference) {
    return reference == Reference::Tensor ? relativeTensor(id, begin) : 0;
  };
  return {
      .kinds = std::uint32_t{static_cast<std::uint8_t>(event.kind)} | (isNumbered ? kNumbered : 0) |
               std::uint32_t{static_cast<std::uint8_t>(event.verdict)} << 8U |
               std::uint32_t{static_cast<std::uint8_t>(event.meshDim)} << 16U |
               std::uint32_t{event.subkind} << 24U,
      .parent = event.parent < begin.next ? event.parent : (event.parent - begin.next) | kInStep,
      .name = event.name,
      .route = event.route,
      .site = event.site,
      .group = event.group,
      .ranks = event.ranks,
      .inputs = event.inputs,
      .text = event.detail,
      .device = event.device,
      .subject = tensor(event.subject, subjectOf(event.kind)),
      .related = tensor(event.related, relatedOf(event.kind))};
}

bool JoinedStep::Shape::isJoinedAs(const Shape& other) const {
  constexpr std::uint32_t kKind = kNumbered - 1;
  const bool isStep = (kinds & kKind) == static_cast<std::uint8_t>(EventKind::Step);
  return kinds == other.kinds && parent == other.parent && (name == other.name || isStep) &&
         route == other.route && site == other.site && group == other.group &&
         inputs == other.inputs && (ranks == other.ranks || (kinds & kNumbered) == 0);
}

std::size_t JoinedStep::Recorded::hash() const {
  Hasher hasher;
  for (const Shape& shape : shapes) {
    hasher.mix(std::uint64_t{shape.kinds} << 32U | shape.parent);
    hasher.mix(std::uint64_t{shape.name} << 32U | shape.ranks);
    hasher.mix(std::uint64_t{shape.text} << 32U | shape.subject);
  }
  for (const std::uint32_t sequence : sequences) hasher.mix(sequence);
  return hasher.value();
}

std::unique_ptr<const JoinedStep> JoinedStep::of(const StepBegin& begin, const MergedParts& parts,
                                                 const Journal& merged) {
  std::size_t events = 0;
  for (std::size_t i = 0; i < begin.processes.size(); ++i) {
    events += parts.processes()[i].events.size() + 1 - begin.processes[i].next;
  }
  if (events == 0 || events > kMostEvents) return nullptr;
  auto step = std::make_unique<JoinedStep>();
  step->begin_ = begin;
  Roles roles;
  for (std::size_t i = 0; i < begin.processes.size(); ++i) {
    if (!step->addProcess(i, parts, roles)) return nullptr;
  }
  step->addMerged(merged);
  return step;
}

// Returns null if the step cannot be repeated.
std::shared_ptr<const JoinedStep::Recorded> JoinedStep::record(std::size_t process,
                                                               const MergedParts& parts) const {
  const Journal& journal = *parts.processes()[process].journal;
  const MergedIds& tensors = parts.tensors();
  const StepBegin::Process& begin = begin_.processes[process];
  auto recorded = std::make_shared<Recorded>();
  std::vector<bool> isKnown;  // by new tensor
  bool isUsable = true;
  const auto refer = [&](TensorId id) {
    const TensorId merged = id == 0 ? 0 : tensors.mergedOf(process, id);
    const bool isNew = id > begin.lastTensor;
    isUsable &=
        id < kInStep && isNew == (merged > begin_.mergedTensors) && (id == 0 || merged != 0);
    if (!isNew || !isUsable) return;
    const TensorId own = id - begin.lastTensor;
    if (own >= isKnown.size()) isKnown.resize(std::size_t{own} + 1);
    if (isKnown[own]) return;
    isKnown[own] = true;
    recorded->tensors.push_back(
        {own, merged - begin_.mergedTensors, {journal.nameOf(id), journal.specOf(id)}});
  };
  const EventId end = parts.processes()[process].events.size() + 1;
  for (EventId id = begin.next; id < end && isUsable;) {
    const auto run = journal.runFrom(id);
    auto inputs = run.inputs;
    for (const Event& event :
         run.events.first(std::min<std::size_t>(run.events.size(), end - id))) {
      const bool isLarge = recorded->inputs.size() + event.inputs > kMostEvents;
      if (isLarge || event.step != begin_.step || event.duration == Event::kRunning ||
          isOfMask(event.kind)) {
        return nullptr;
      }
      recorded->shapes.push_back(shapeOf(event, begin));
      recorded->sequences.push_back(event.sequence);
      // In the order in which a merge refers to them.
      if (relatedOf(event.kind) == Reference::Tensor) refer(event.related);
      if (subjectOf(event.kind) == Reference::Tensor) refer(event.subject);
      for (const TensorId input : inputs.first(event.inputs)) {
        refer(input);
        recorded->inputs.push_back(relativeTensor(input, begin));
      }
      inputs = inputs.subspan(event.inputs);
      ++id;
    }
  }
  return isUsable ? recorded : nullptr;
}

bool JoinedStep::addProcess(std::size_t number, const MergedParts& parts, Roles& roles) {
  Process& process = processes_.emplace_back();
  process.recorded = record(number, parts);
  if (!process.recorded) return false;
  auto& role = roles.try_emplace(process.recorded->hash(), process.recorded).first->second;
  if (*role == *process.recorded) process.recorded = role;
  const auto& events = parts.processes()[number].events;
  RunPatterns::Pattern runs;
  for (std::size_t i = 0; i < process.recorded->shapes.size(); ++i) {
    const EventId own = begin_.processes[number].next + static_cast<EventId>(i);
    const std::uint32_t place = events.mergedOf(own) - begin_.merged - 1;
    process.places.push_back({place & (kInStep - 1), 0});
    if (runs.empty() || place != runs.back().to + runs.back().length) {
      runs.push_back({static_cast<std::uint32_t>(i), place, 0});
    }
    ++runs.back().length;
  }
  for (IdRun& run : runs) run.to -= process.places.front().merged;
  process.runs = &events.intern(runs);
  process.program = parts.programs().run(number, parts.programs().steps() - 1).program;
  return true;
}

void JoinedStep::addMerged(const Journal& merged) {
  std::map<std::pair<StringId, StringId>, std::uint32_t> communicators;
  for (EventId id = begin_.merged + 1; id <= merged.size(); ++id) {
    const Event event = merged.at(id);
    if (event.kind == EventKind::Collective && event.sequence != 0) {
      const bool isOfSeveral = merged.text(event.ranks).find('|') != std::string_view::npos;
      const std::pair key(event.ranks, isOfSeveral ? 0 : event.group);
      const auto next = static_cast<std::uint32_t>(communicators.size());
      const auto number = communicators.try_emplace(key, next).first->second;
      numbered_.emplace_back(static_cast<std::uint32_t>(merged_.size()), number);
    }
    if (event.kind == EventKind::Step) {
      steps_.push_back(static_cast<std::uint32_t>(merged_.size()));
      stepNames_.insert(event.name);
    }
    merged_.push_back(event);
    const auto inputs = merged.inputs(id);
    inputs_.insert(inputs_.end(), inputs.begin(), inputs.end());
  }
  communicators_ = communicators.size();
  for (TensorId id = begin_.mergedTensors + 1; id <= merged.tensors(); ++id) {
    mergedTensors_.push_back({merged.nameOf(id), merged.specOf(id)});
  }
  firstParts_.resize(merged_.size() + 1);
  for (Process& process : processes_) {
    for (Place& place : process.places) {
      place.isFirst = firstParts_[place.merged + 1]++ == 0 ? 1 : 0;
    }
  }
  std::partial_sum(firstParts_.begin(), firstParts_.end(), firstParts_.begin());
  parts_.resize(firstParts_.back());
  auto next = firstParts_;
  for (std::uint32_t i = 0; i < processes_.size(); ++i) {
    for (std::uint32_t own = 0; own < processes_[i].places.size(); ++own) {
      parts_[next[processes_[i].places[own].merged]++] = {i, own};
    }
  }
}

bool JoinedStep::isRepeated(const StepBegin& begin, const MergedParts& parts, bool whole,
                            RepeatedStep& into) const {
  into.sums.resize(merged_.size());
  into.firsts.resize(merged_.size());
  into.isSame.assign(merged_.size(), 1);
  into.hasLater.resize(processes_.size());
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    if (!repeats(i, begin, parts, into)) return false;
    if (!whole && !into.hasLater[i]) return false;
  }
  return areNumbered(into) && areNamed(into, parts);
}

// Returns true if the events of a process in the step are those of this step, and merges their
// times.
bool JoinedStep::repeats(std::size_t number, const StepBegin& begin, const MergedParts& parts,
                         RepeatedStep& into) const {
  const Process& process = processes_[number];
  const Recorded& recorded = *process.recorded;
  const StepBegin::Process& start = begin.processes[number];
  const Journal& journal = *parts.processes()[number].journal;
  const EventId end = start.next + static_cast<EventId>(process.places.size());
  if (end - 1 > journal.size()) return false;
  for (const NewTensor& tensor : recorded.tensors) {
    const TensorId id = start.lastTensor + tensor.own;
    if (id > journal.tensors() || journal.nameOf(id) != tensor.is.name ||
        journal.specOf(id) != tensor.is.spec) {
      return false;
    }
  }
  // Another tensor changes the merged event. A step that refers to tensors in another order, so
  // that new ones are not numbered in the same order, does not repeat this one.
  const auto isOld = [&](TensorId id, TensorId in) {
    return ((id | in) & kInStep) == 0 && id != 0 && in != 0 &&
           parts.tensors().mergedOf(number, id) != 0;
  };
  std::size_t i = 0, input = 0;
  for (EventId id = start.next; id < end;) {
    const auto run = journal.runFrom(id);
    auto inputs = run.inputs;
    for (const Event& event :
         run.events.first(std::min<std::size_t>(run.events.size(), end - id))) {
      if (event.step != begin.step || event.duration == Event::kRunning) return false;
      const Shape& known = recorded.shapes[i];
      const Shape shape = shapeOf(event, start);
      bool isSame = true;
      if (shape != known) {
        const bool areKnown =
            (shape.subject == known.subject || isOld(shape.subject, known.subject)) &&
            (shape.related == known.related || isOld(shape.related, known.related));
        if (!shape.isJoinedAs(known) || !areKnown) return false;
        isSame = false;
      }
      for (std::size_t k = 0; k < event.inputs; ++k, ++input) {
        const TensorId its = relativeTensor(inputs[k], start);
        if (its == recorded.inputs[input]) continue;
        if (!isOld(its, recorded.inputs[input])) return false;
        isSame = false;
      }
      inputs = inputs.subspan(event.inputs);
      const Place place = process.places[i];
      const std::int64_t time = parts.clocks().read(number, event.time).time;
      auto& sums = into.sums[place.merged];
      if (place.isFirst != 0) {
        into.firsts[place.merged] = event;
        sums = {time, event.duration, event.exposed, event.bytes};
      } else {
        if ((shape.kinds & kNumbered) != 0 &&
            event.sequence - recorded.sequences[i] != numberedLater(into, place.merged)) {
          return false;
        }
        if (event.kind == EventKind::Step &&
            journal.text(event.name) != nameOf(into, place.merged, parts)) {
          return false;
        }
        sums.time = std::min(sums.time, time);
        sums.duration = std::max(sums.duration, event.duration);
        sums.exposed = std::max(sums.exposed, event.exposed);
        if (countsHosted(event.kind)) increase(sums.bytes, event.bytes);
      }
      if (!isSame) into.isSame[place.merged] = 0;
      ++i;
      ++id;
    }
  }
  into.hasLater[number] = end <= journal.size();
  return !into.hasLater[number] || journal.at(end).step > begin.step;
}

// Returns by how much the number of a collective is greater than in this step.
std::uint32_t JoinedStep::numberedLater(const RepeatedStep& step, std::size_t place) const {
  return step.firsts[place].sequence - merged_[place].sequence;
}

// Returns true if all calls of a communicator have numbers that are greater by the same amount.
bool JoinedStep::areNumbered(const RepeatedStep& step) const {
  std::vector<std::optional<std::uint32_t>> later(communicators_);
  return std::ranges::all_of(numbered_, [&](const auto& call) {
    const auto& [place, communicator] = call;
    const std::uint32_t by = numberedLater(step, place);
    if (!later[communicator]) later[communicator] = by;
    return later[communicator] == by;
  });
}

// Returns the name of the first part of an event.
std::string_view JoinedStep::nameOf(const RepeatedStep& step, std::size_t place,
                                    const MergedParts& parts) const {
  return parts.processes()[partsOf(place).front().first].journal->text(step.firsts[place].name);
}

// Returns true if those events of kind Step have one name that have one in this step.
bool JoinedStep::areNamed(const RepeatedStep& step, const MergedParts& parts) const {
  std::map<std::string_view, StringId> known;  // the name in this step, by the name in the step
  const bool areOne = std::ranges::all_of(steps_, [&](std::uint32_t place) {
    const StringId name = merged_[place].name;
    return known.try_emplace(nameOf(step, place, parts), name).first->second == name;
  });
  return areOne && known.size() == stepNames_.size();
}

}  // namespace shardlens
