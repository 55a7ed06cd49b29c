#pragma once

#include "core/trace/merge/journal_merge.h"

#include <memory>
#include <vector>

namespace shardlens {

// The events of some ranks of a run, merged without those of the remaining ranks. Where ranks run
// different programs at the same lines, as the stages of a pipeline do, an event of the whole
// journal may have the tensors of several programs; here it has those of one.
class RanksMerge {
 public:
  // Merges the events of the processes that host these ranks, ascending. Returns null if `whole` is
  // not merged from processes. `whole` must outlive the result and must not grow meanwhile.
  static std::unique_ptr<RanksMerge> of(const Journal& whole, const std::vector<int>& ranks);

  const Journal& journal() const { return merge_.journal(); }
  // Return the number of an event or tensor of journal() in the whole journal; 0 for 0, and if it
  // is not merged there.
  EventId wholeEvent(EventId id) const;
  TensorId wholeTensor(TensorId id) const;

 private:
  RanksMerge(const MergedParts& whole, std::vector<std::size_t> processes);

  const MergedParts& whole_;
  std::vector<std::size_t> processes_;  // of `whole_`
  JournalMerge merge_;
  const MergedParts& own_;
};

}  // namespace shardlens
