#pragma once

namespace shardlens {

// Replaces libtorch's CPU allocator by one that throws Refusal for allocations larger than the free
// memory. Checks once per 64 MiB allocated, and keeps 64 MiB free. Otherwise Linux grants them and
// kills the process when the memory is written. Applies to the whole process; later calls do
// nothing. Thread-safe.
void guardMemory();

}  // namespace shardlens
