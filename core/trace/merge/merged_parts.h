#pragma once

#include "core/model/rank_ranges.h"
#include "core/trace/journal/journal.h"
#include "core/trace/merge/alignment.h"
#include "core/trace/merge/clocks.h"
#include "core/trace/merge/merged_ids.h"
#include "core/trace/merge/step_programs.h"

#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// The mappings of events and tensors between a merged journal and its processes, and the clocks of
// the processes. Serves the times, devices and values of each rank from the journal of its process.
class MergedParts final : public ShardValues {
 public:
  struct Process {
    const Journal* journal;
    std::vector<int> hosted;  // ascending
    Alignment events;
  };

  // `processes` must outlive this object.
  explicit MergedParts(const std::vector<const Journal*>& processes);

  void beginStep();  // call it before the events of each step

  // Appends the numbers of the processes that host one of these ranks; one may be appended twice.
  void addHosts(const RankRange& ranks, std::vector<std::uint32_t>& to) const;

  std::vector<Process>& processes() { return processes_; }
  const std::vector<Process>& processes() const { return processes_; }
  MergedIds& tensors() { return tensors_; }
  const MergedIds& tensors() const { return tensors_; }
  Clocks& clocks() { return clocks_; }
  const Clocks& clocks() const { return clocks_; }
  StepPrograms& programs() { return programs_; }
  const StepPrograms& programs() const { return programs_; }

  // Returns the part of a merged event in the process of this rank; nullopt if it has none. Bytes
  // are 0 if that process hosts several ranks.
  std::optional<EventPart> part(EventId id, int rank) const;
  // Returns "RANK:ID" of a merged event: the lowest rank of the first process that recorded it, and
  // the number of the event in its recording. Returns the id if the ranks are unknown.
  std::string numberOf(EventId id) const;
  // Returns the device of the event in the process of this rank; empty if unknown.
  std::string_view deviceOf(EventId id, int rank) const;
  // Returns the newest event of the process of this rank; 0 if there is none.
  EventId lastEventOf(int rank) const;
  // Returns the last event before `before` that the process of this rank recorded; 0 if there is
  // none.
  EventId previousEventOf(int rank, EventId before) const;
  // Returns the first event after `after` that the process of this rank recorded; 0 if there is
  // none.
  EventId nextEventOf(int rank, EventId after) const;

  // ShardValues. Values are numbered process after process, so numbers change while the journals
  // grow. `tensor` and `event` of a value are 0 while they are not merged yet.
  std::size_t size() const override;
  std::optional<ValueRecord> at(std::size_t number) const override;
  std::optional<ValueRecord> newest(TensorId tensor, int rank, EventId position) const override;
  std::vector<int> ranksOf(TensorId tensor) const override;
  Content elements(const ValueRecord& value) const override;
  std::vector<EventId> eventsWithNans(EventId after, EventId last) const override;
  std::string problem() const override { return {}; }  // see TraceRun::leftOut()

 private:
  const Process* hostOf(int rank) const;
  ValueRecord merged(const Process& process, ValueRecord value) const;
  std::size_t numberOf(const Process& process) const {
    return static_cast<std::size_t>(&process - processes_.data());
  }

  std::vector<Process> processes_;
  std::vector<std::uint32_t> hosts_;  // the index of the process + 1, by rank; 0: none
  MergedIds tensors_;
  Clocks clocks_;
  StepPrograms programs_;
};

// When the process of a rank began to record, on the common clock of the run, and the largest error
// of its times so far. `error` is EventPart::kUnknown if they cannot be compared with those of
// other clocks. See EventPart for `clock`.
struct RankClock {
  int rank = 0;
  std::int64_t start = 0;
  int clock = 0;
  std::int64_t error = 0;
};
// Returns the clocks of the hosted ranks, ascending by rank. Empty for a journal that is not
// merged.
std::vector<RankClock> rankClocks(const Journal& journal);

// Returns the end of the last event of all processes, on the common clock of the run. For a journal
// that is not merged, returns EventTotals::end().
std::int64_t endOf(const Journal& journal);

// Returns the newest event that this rank's process recorded; 0 if there is none.
EventId lastEventOf(const Journal& journal, int rank);
// Returns the newest event of this rank that is not an Error; 0 if there is none. Errors of a run
// may be merged long after it.
EventId lastCallOf(const Journal& journal, int rank);
// Returns true if this rank's process recorded an event after `id` that has ended. False for a rank
// that is stopped before the event: the collective in which it waits is later only in the order of
// the other ranks.
bool hasContinuedAfter(const Journal& journal, int rank, EventId id);

// Returns the device on which an event ran according to this rank's process, "cuda:1 stream 7".
// Empty if unknown. A merged event has no device if its processes have different ones.
std::string_view deviceOf(const Journal& journal, EventId event, int rank);

// Returns the id of the name of a collective's process group. For a merged call in several groups,
// whose `group` is that of the first process, returns the id of `ranks`, which lists all groups.
StringId groupOf(const Journal& journal, const Event& collective);

}  // namespace shardlens
