#pragma once

#include "core/trace/file/progress.h"

#include <cstddef>
#include <functional>

namespace shardlens {

// Calls work(0), work(1), ... work(count - 1) on as many threads as there are cores, and returns
// when all have returned. Calls `progress` on the calling thread. If `work` or `progress` throws,
// starts no more work, waits for the work in progress, and throws the first exception of `work` or
// that of `progress`.
void inParallel(std::size_t count, const std::function<void(std::size_t)>& work,
                const Progress& progress = {});

}  // namespace shardlens
