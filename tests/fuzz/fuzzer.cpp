#include "tests/fuzz/targets.h"

#include <cstddef>
#include <cstdint>

// What libFuzzer calls. SHARDLENS_TARGET is one of targets.h.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  shardlens::SHARDLENS_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
