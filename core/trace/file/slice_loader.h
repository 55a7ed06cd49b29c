#pragma once

#include "core/model/rank_ranges.h"
#include "core/trace/file/database.h"
#include "core/trace/file/progress.h"
#include "core/trace/file/slice_ids.h"
#include "core/trace/file/trace_schema.h"
#include "core/trace/journal/journal.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace shardlens {

// The events of some steps of a recording.
struct StepSlice {
  Journal journal;
  SliceIds ids;
  // The numbers of the values that its events captured, first to last - 1; see ShardValues.
  std::int64_t firstValue = 0, lastValue = 0;
  bool isClosed = false;  // the writer closed the recording
  bool hasLater = false;  // the recording has events after those of the slice
};

// Loads the events of some steps from a recording, as a journal with separate ids, which counts
// events from 1. Reads only the blocks of these steps, and the texts, specs, routes and tensors to
// which their events refer. References to events of other steps are 0. The metadata has a limit
// that describes this. Requires that the steps of a recording ascend, apart from events outside of
// a step: events of a step that follow a whole block of later steps are left out. Takes
// logarithmic time in the size of the recording, and linear time in that of the slice and of the
// events outside of a step.
class SliceLoader {
 public:
  // `steps`: indexes, ascending and disjoint; not empty. `into` must be empty. Both and the
  // database must outlive this object. Throws DatabaseError if a table is missing.
  SliceLoader(Database& database, const std::vector<RankRange>& steps, StepSlice& into);

  // Loads the slice, as it is committed. Call it once. Validates the rows and throws DatabaseError
  // for impossible ones. An exception of `progress` passes to the caller.
  void load(const Progress& progress);

 private:
  // Maps an id of the recording to that of the slice; 0 for 0. Adds the entry before its first use.
  StringId textOf(StringId own);
  SpecId specOf(SpecId own);
  RouteId routeOf(RouteId own);
  TensorId tensorOf(TensorId own);

  void loadMeta();
  void loadBookmarks();
  void findValues();
  std::int64_t firstValueAfter(Statement& value, EventId own, std::int64_t all);
  void readBlock(std::int64_t number);
  int stepUpTo(std::int64_t number, std::int64_t least);
  std::int64_t firstBlockOf(int step);
  void takeBlock();
  void take(EventId own, Event event, std::span<const TensorId> inputs);

  Database& database_;
  const std::vector<RankRange>& steps_;
  StepSlice& into_;
  Statement meta_, strings_, specs_, routes_, tensors_, block_, bookmarks_;
  std::unordered_map<StringId, StringId> texts_;
  std::unordered_map<SpecId, SpecId> specIds_;
  std::unordered_map<RouteId, RouteId> routeIds_;
  // The block of tensors that was read last, and its first tensor.
  std::pair<TensorId, std::vector<PackedTensor>> tensorBlock_{};
  std::int64_t blocks_ = 0;  // of the recording
  std::int64_t read_ = -1;   // the number of the block in block_
  EventBlock unpacked_;
  std::vector<bool> isLookup_;  // by event of the slice: is it a CacheLookup
  std::vector<TensorId> inputs_;
};

}  // namespace shardlens
