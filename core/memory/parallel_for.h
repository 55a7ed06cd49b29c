#pragma once

#include <c10/util/FunctionRef.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace shardlens {

// A piece of work: a number of units (0 or more), each of which reads and writes `bytesPerUnit`
// bytes (1 or more).
struct Work {
  std::int64_t units;
  std::int64_t bytesPerUnit;

  std::int64_t bytes() const { return units * bytesPerUnit; }
};

// Calls run(i, begin, end) for disjoint, non-empty ranges that cover the units of each piece i.
// Total work of at least 512 KiB is split evenly by bytes among torch's threads, which call `run`
// concurrently. Less work, and work inside a parallel region, runs on the calling thread. Blocks
// until all ranges are done. Rethrows the first exception of `run`; other ranges may have run then.
void parallelFor(const std::vector<Work>& pieces,
                 c10::function_ref<void(std::size_t, std::int64_t, std::int64_t)> run);

}  // namespace shardlens
