#pragma once

#include "core/trace/records/clock_record.h"

#include <cstdint>
#include <string>

namespace shardlens {

// Returns the identity of this machine's monotonic clock: the id of its boot, and on Linux the
// process's time namespace, which may shift the clock. Empty if the system does not tell it.
std::string machineClockId();

// Reads the monotonic clock and the wall clock together. `at` is the time since the recording
// began. The error of the wall clock is that of the kernel plus the time that the reading took.
ClockAnchor clockAnchor(std::int64_t at);

}  // namespace shardlens
