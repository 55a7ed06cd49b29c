#pragma once

#include "core/trace/merge/merged_parts.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace shardlens {

// The state of a merge before a step.
struct StepBegin {
  struct Process {
    EventId next = 0;         // the first event that is not merged
    TensorId lastTensor = 0;  // the highest tensor that is mapped
  };
  int step = 0;
  std::vector<Process> processes;
  EventId merged = 0;  // merged events
  TensorId mergedTensors = 0;
};

// A step of a run that repeats another one: its merged events, except for the fields that are those
// of the other step. See JoinedStep.
struct RepeatedStep {
  // Of all parts of an event: the earliest time, the longest durations, the sum of the bytes where
  // they add up.
  struct Sums {
    std::int64_t time, duration, exposed, bytes;
  };
  std::vector<Sums> sums;            // by merged event
  std::vector<Event> firsts;         // the first part, by merged event
  std::vector<std::uint8_t> isSame;  // 1 if the other fields are those of the other step
  std::vector<bool> hasLater;        // by process: it has begun a later step
};

// How the events of all processes in one step were joined. Recognises later steps that are joined
// in the same way, so that only times are to be merged: a training loop repeats one step. A step
// repeats another one if each process has the same events, with the same enclosing events, and each
// communicator numbers its calls in the same order. Takes some 60 bytes per event of a role in the
// step, and 12 bytes per event of a process. Events of kind Step may have other names, as "step 7".
class JoinedStep {
 public:
  // The most events of all processes in a step, and the most inputs of a process.
  static constexpr std::size_t kMostEvents = std::size_t{1} << 21U;

  // Returns the step that began at `begin` and is joined, `merged` being the merged journal. Null
  // if later steps cannot repeat it: it has mask buffers, running spans, events of earlier steps,
  // or more events than would be worth the memory.
  static std::unique_ptr<const JoinedStep> of(const StepBegin& begin, const MergedParts& parts,
                                              const Journal& merged);

  // Returns true if all events of the step that begins at `begin` are joined as those of this step,
  // and sets `into`. `whole`: processes record nothing more. Otherwise, each must have begun a
  // later step. Takes constant time per event, and reads each once.
  bool isRepeated(const StepBegin& begin, const MergedParts& parts, bool whole,
                  RepeatedStep& into) const;

  // The number of events of all processes.
  std::size_t events() const { return parts_.size(); }
  // The number of events of a process.
  EventId eventsOf(std::size_t process) const {
    return static_cast<EventId>(processes_[process].places.size());
  }
  // Maps the events of a process, which must have some, as the next ones of its alignment.
  // `merged`: the merged events before the step.
  void align(std::size_t process, EventId merged, Alignment& events) const {
    const Process& its = processes_[process];
    events.add(*its.runs, merged + 1 + its.places.front().merged);
  }
  std::uint64_t programOf(std::size_t process) const { return processes_[process].program; }
  // The merged events, as in the journal.
  const std::vector<Event>& merged() const { return merged_; }
  // The inputs of the merged events, concatenated.
  const std::vector<TensorId>& inputs() const { return inputs_; }
  // Returns the processes with an event of the merged event at this place, and the event's place
  // among those of the process.
  using Part = std::pair<std::uint32_t, std::uint32_t>;
  std::span<const Part> partsOf(std::size_t place) const {
    return std::span(parts_).subspan(firstParts_[place],
                                     firstParts_[place + 1] - firstParts_[place]);
  }
  // The state before this step.
  const StepBegin& begin() const { return begin_; }

  // A tensor that a process refers to first in the step. Both ids count from 1 in the step.
  struct NewTensor {
    TensorId own;
    TensorId merged;
    TensorList::Tensor is;  // in the journal of the process
    bool operator==(const NewTensor&) const = default;
  };
  std::span<const NewTensor> newTensors(std::size_t process) const {
    return processes_[process].recorded->tensors;
  }
  // The new merged tensors.
  const std::vector<TensorList::Tensor>& mergedTensors() const { return mergedTensors_; }

 private:
  // What decides how an event is joined, and the merged event except for its times, bytes and
  // counts. Ids of the step count from the first one, with a bit that marks them.
  struct Shape {
    std::uint32_t kinds, parent, name, route, site, group, ranks, inputs;
    std::uint32_t text, device, subject, related;  // `text`: of the detail
    bool operator==(const Shape&) const = default;
    bool isJoinedAs(const Shape& other) const;
  };
  // The events of a process. Processes of a role share them.
  struct Recorded {
    std::vector<Shape> shapes = {};
    std::vector<std::uint32_t> sequences = {};  // as Event::sequence
    std::vector<TensorId> inputs = {};          // of all events, as in a Shape
    std::vector<NewTensor> tensors = {};
    bool operator==(const Recorded&) const = default;
    std::size_t hash() const;
  };
  using Roles = std::unordered_map<std::size_t, std::shared_ptr<const Recorded>>;  // by hash
  struct Place {
    std::uint32_t merged : 31;  // from 0
    std::uint32_t isFirst : 1;  // of the parts
  };
  struct Process {
    std::shared_ptr<const Recorded> recorded = {};
    std::vector<Place> places = {};              // by event
    const RunPatterns::Pattern* runs = nullptr;  // of the places; owned by the alignments
    std::uint64_t program = 0;                   // as StepPrograms::Run
  };

  static Shape shapeOf(const Event& event, const StepBegin::Process& begin);
  static TensorId relativeTensor(TensorId id, const StepBegin::Process& begin);
  std::shared_ptr<const Recorded> record(std::size_t process, const MergedParts& parts) const;
  bool addProcess(std::size_t process, const MergedParts& parts, Roles& roles);
  bool repeats(std::size_t process, const StepBegin& begin, const MergedParts& parts,
               RepeatedStep& into) const;
  std::uint32_t numberedLater(const RepeatedStep& step, std::size_t place) const;
  bool areNumbered(const RepeatedStep& step) const;
  std::string_view nameOf(const RepeatedStep& step, std::size_t place,
                          const MergedParts& parts) const;
  bool areNamed(const RepeatedStep& step, const MergedParts& parts) const;
  void addMerged(const Journal& merged);

  StepBegin begin_;
  std::vector<Process> processes_;
  std::vector<Event> merged_;
  std::vector<TensorId> inputs_;
  std::vector<TensorList::Tensor> mergedTensors_;
  std::vector<Part> parts_;              // of all merged events, concatenated
  std::vector<std::size_t> firstParts_;  // by merged event, and the end
  // Numbered collectives, and the number of their communicator among those of the step.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> numbered_;
  std::size_t communicators_ = 0;
  std::vector<std::uint32_t> steps_;  // the merged events of kind Step
  std::set<StringId> stepNames_;      // their names
};

}  // namespace shardlens
