#include "tests/fuzz/targets.h"

#include <cstddef>
#include <cstdint>

// Entry point of libFuzzer. SHARDLENS_TARGET is the name of a function in targets.h.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  shardlens::SHARDLENS_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
