#pragma once

#include "core/model/event.h"
#include "core/trace/merge/id_runs.h"

#include <memory>
#include <utility>

namespace shardlens {

// Maps the events of one process to the events of a merged journal and back. Both are in the same
// order, so a few runs of consecutive ids suffice. Lookups take logarithmic time in the runs.
class Alignment {
 public:
  Alignment() = default;
  // Shares `patterns` with the alignments of the remaining processes.
  explicit Alignment(std::shared_ptr<RunPatterns> patterns) : runs_(std::move(patterns)) {}

  // Maps the next event of the process to `merged`, which must increase.
  void add(EventId merged) { runs_.add(size() + 1, merged); }
  // Maps the next events of the process as a pattern, the first one to `merged`; see IdRuns.
  void add(const RunPatterns::Pattern& pattern, EventId merged) {
    runs_.add(pattern, size() + 1, merged);
  }
  const RunPatterns::Pattern& intern(const RunPatterns::Pattern& pattern) const {
    return runs_.intern(pattern);
  }
  void beginStep() { runs_.beginStep(); }  // see IdRuns

  // Returns the merged id of event `part`, which must be at most size(); 0 for 0.
  EventId mergedOf(EventId part) const;
  // Returns the newest event of the process at or before `merged`; 0 if there is none.
  EventId newest(EventId merged) const;
  // Returns the event of the process that is `merged`; 0 if the process has no part in it.
  EventId partOf(EventId merged) const;
  EventId size() const { return runs_.last(); }  // the events of the process that are mapped

 private:
  IdRuns runs_;
};

}  // namespace shardlens
