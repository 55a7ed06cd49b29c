#pragma once

#include <cstdint>

namespace shardlens::kernels {

// memset() to zero and memcpy(), which may be told of parts that do not begin where a processor
// likes it; the large ones go past the cache.
void zeroMemory(void* to, std::int64_t bytes);
void copyMemory(void* to, const void* from, std::int64_t bytes);

}  // namespace shardlens::kernels
