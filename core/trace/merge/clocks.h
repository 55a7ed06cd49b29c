#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/merge/clock_offset.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace shardlens {

// Places the times of a run's processes on one common clock, which starts about when the first
// process did. Processes of a job record anchors (FORMAT.md, "clock"): those with one monotonic
// clock need no estimate. Offsets between the clocks of several machines are estimated from
// collectives, or, without any, from the wall clocks. The engine's processes start together.
class Clocks {
 public:
  // `processes`: the journals of one run, which must outlive this object.
  explicit Clocks(const std::vector<const Journal*>& processes);

  // True if collectives improve the estimates, because there are several clocks.
  bool usesCollectives() const { return machines_.size() > 1; }
  // A process's part in a collective that is complete.
  struct Call {
    std::size_t process;
    Event event;
  };
  // Adds a collective of one group; `calls` must not be empty. Ignores kinds in which a member may
  // return before another one has called, recordings that do not distinguish the call from its
  // completion, and collectives on GPUs, whose clocks the processes do not record.
  void add(std::span<const Call> calls);

  // A time on the common clock; see EventPart for the last two members.
  struct Reading {
    std::int64_t time;
    int clock;
    std::int64_t error;
  };
  // Returns the reading of `time`, which process number `process` recorded. A process that recorded
  // no clock has a separate clock with a negative number; its time is unchanged and the error
  // kUnknown.
  Reading read(std::size_t process, std::int64_t time) const;

 private:
  struct Machine {
    std::string id;
    std::int64_t offset = 0;  // to the first machine's clock, by the wall clocks
    std::int64_t error = 0;   // of it; EventPart::kUnknown if a wall clock is not synchronised
  };
  struct Process {
    int machine = -1;        // -1: unknown
    std::int64_t shift = 0;  // from the recording's time to the machine's
  };

  std::optional<OffsetRange> offsetOf(int machine, std::int64_t time) const;
  void connect() const;

  std::vector<Process> processes_;
  std::vector<Machine> machines_;
  std::int64_t base_ = 0;  // the start of the common clock, on the first machine's
  std::map<std::pair<int, int>, ClockOffset> offsets_;  // by machines, the lower one first
  // By machine: the next one on the way to the first, -1 if there is none. Follows offsets_.
  mutable std::vector<int> towards_;
  mutable std::size_t connected_ = 0;  // the size of offsets_ that towards_ is made of
};

}  // namespace shardlens
