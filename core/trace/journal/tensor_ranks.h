#pragma once

#include "core/model/mesh.h"
#include "core/model/rank_ranges.h"
#include "core/trace/journal/journal.h"

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace shardlens {

// The mesh that a recording ran on; none where it does not say.
std::optional<DeviceMesh> recordedMesh(const Journal& journal);

// The ranks whose process wrote it, ascending; all, where it does not say, and of a dry run, whose
// first rank stands for the others. A mesh may have millions of ranks: the ranges cost nothing.
std::vector<RankRange> hostedRanges(const Journal& journal);
std::vector<int> hostedRanks(const Journal& journal);

// Whether it tells of a run without data.
bool isDry(const Journal& journal);

// Whether it was made of another tool's dump: what that does not say is 0 or empty here, and ranks
// have clocks of their own.
bool isImported(const Journal& journal);

// The hosted ranks whose process did not come to this event, ascending: none where all did the
// same. Of a run that was merged into one file that is known of collectives alone.
std::vector<int> absentRanks(const Journal& journal, EventId event);

// Where to look for what a rank holds of a tensor.
enum class Whereabouts {
  Here,
  OtherProcess,  // which wrote a recording of its own
  NotInMesh,     // it holds nothing
};

// The ranks of a recording as one of its tensors sees them.
class TensorRanks {
 public:
  TensorRanks(const Journal& journal, TensorId tensor);

  // The tensor's own, or the recording's. None where there is not a placement for each of its
  // dimensions, as for a mask.
  const std::optional<DeviceMesh>& mesh() const { return mesh_; }
  std::vector<int> all() const { return first(std::numeric_limits<int>::max()); }  // ascending
  std::vector<int> first(int most) const;  // the lowest of them
  Whereabouts of(int rank) const;

 private:
  std::optional<DeviceMesh> mesh_;
  int whole_ = 0;  // how many ranks the recording's mesh has: 0, 1, ...
  std::vector<RankRange> hosted_;
  std::vector<int> captured_;  // ascending
};

// What the groups of a collective run along: "tp", "dp_tp" for several mesh dimensions flattened
// into one. Empty where the recording does not say.
std::string axisOf(const Journal& journal, const Event& collective);

}  // namespace shardlens
