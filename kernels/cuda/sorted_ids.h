#pragma once

#include "kernels/host_device.h"

#include <cstdint>

namespace shardlens::kernels::cuda {

// The ids of a gradient, sorted by row. The ids that name one row are a run.
struct SortedIds {
  const std::uint32_t* rows;
  const std::uint32_t* positions;
  std::int64_t count;
  std::uint32_t none;  // the row number of ids that add nothing; they come last
};

// A run, as a range of sorted ids.
struct Run {
  std::uint32_t begin;
  std::uint32_t count;
};

// The runs of more than kLongestShort ids, in any order.
struct LongRuns {
  static constexpr int kLongestShort = 8;

  std::uint32_t* count;
  Run* runs;

  // Returns how many long runs so many ids can have.
  static std::int64_t most(std::int64_t ids) { return ids / (kLongestShort + 1); }
};

// The table to whose rows the gradients are added.
template <class P>
struct RowTable {
  P* rows;
  std::int64_t packs;  // per row

  // Returns the row of the run whose first id is the i-th.
  SHARDLENS_HOST_DEVICE P* rowOf(const SortedIds& ids, std::int64_t i) const {
    return rows + static_cast<std::int64_t>(ids.rows[i]) * packs;
  }
};

}  // namespace shardlens::kernels::cuda
