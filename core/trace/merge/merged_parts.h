#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/merge/alignment.h"
#include "core/trace/merge/merged_ids.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// Which event and tensor of each process of a run is which of the merged ones; and through that
// what its ranks have of them, times and values, which stay where the process has them.
class MergedParts final : public ShardValues {
 public:
  struct Process {
    const Journal* journal;
    std::vector<int> hosted;  // ascending
    Alignment events;
  };

  // The journals must outlive this.
  explicit MergedParts(const std::vector<const Journal*>& processes);

  std::vector<Process>& processes() { return processes_; }
  MergedIds& tensors() { return tensors_; }

  // When the process of this rank had the event; none where it had not.
  std::optional<EventPart> part(EventId id, int rank) const;
  // What it says the event ran on; empty where it does not.
  std::string_view deviceOf(EventId id, int rank) const;

  // One process after the other. Its tensor and event are 0 where nothing has named them yet.
  std::size_t size() const override;
  std::optional<ValueRecord> at(std::size_t number) const override;
  std::optional<ValueRecord> newest(TensorId tensor, int rank, EventId position) const override;
  std::vector<int> ranksOf(TensorId tensor) const override;
  Content elements(const ValueRecord& value) const override;
  std::vector<EventId> eventsWithNans(EventId after, EventId last) const override;
  std::string problem() const override { return {}; }  // each process says its own

 private:
  const Process* hostOf(int rank) const;
  ValueRecord merged(const Process& process, ValueRecord value) const;
  std::size_t numberOf(const Process& process) const {
    return static_cast<std::size_t>(&process - processes_.data());
  }

  std::vector<Process> processes_;
  std::map<int, std::size_t> hosts_;  // by rank
  MergedIds tensors_;
};

// What the process of this rank says that an event ran on, "cuda:1 stream 7"; empty where that is
// not known. Of several processes, in which devices differ, the merged event itself has none.
std::string_view deviceOf(const Journal& journal, EventId event, int rank);

}  // namespace shardlens
