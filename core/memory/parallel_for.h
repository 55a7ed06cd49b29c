#pragma once

#include <c10/util/FunctionRef.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace shardlens {

// A piece of work on so many units, each of which moves so many bytes.
struct Work {
  std::int64_t units;
  std::int64_t bytesPerUnit;

  std::int64_t bytes() const { return units * bytesPerUnit; }
};

// Has torch's threads share the work evenly, by bytes; what is not worth waking a thread for is
// done by the caller's. run(i, begin, end) does these units of the i-th piece.
void parallelFor(const std::vector<Work>& pieces,
                 c10::function_ref<void(std::size_t, std::int64_t, std::int64_t)> run);

}  // namespace shardlens
