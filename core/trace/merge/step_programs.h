#pragma once

#include "core/trace/journal/journal.h"

#include <cstdint>
#include <vector>

namespace shardlens {

// Returns a hash of what an event of a program is: its kind, name, module and line. Texts are
// hashed by content, so that keys of different journals compare. Returns 0 for events that are not
// of the program itself, such as cache lookups, steps and computations.
std::uint64_t programKey(const Journal& journal, const Event& event);

// The programs that processes ran in each step, as hashes of the keys of their events. Takes 16
// bytes per process and step.
class StepPrograms {
 public:
  // What a process ran in a step. Equal programs have equal hashes.
  struct Run {
    EventId first = 0;  // 0: the process has no events in the step
    std::uint64_t program = 0;
  };

  explicit StepPrograms(std::size_t processes) : runs_(processes) {}

  void beginStep();
  // Adds the next event of a process. `key` is its programKey().
  void add(std::uint32_t process, EventId id, std::uint64_t key);
  // Adds all events of a process in the step.
  void add(std::size_t process, const Run& run) { runs_[process].back() = run; }

  std::size_t steps() const { return steps_; }
  const Run& run(std::size_t process, std::size_t step) const { return runs_[process][step]; }
  // Returns the first event after the step of the process; `end` if it has none.
  EventId endOf(std::size_t process, std::size_t step, EventId end) const;

 private:
  std::vector<std::vector<Run>> runs_;  // by process and step
  std::size_t steps_ = 0;
};

}  // namespace shardlens
