#pragma once

#include "core/trace/records/clock_record.h"

#include <cstdint>
#include <string>

namespace shardlens {

// Returns the identity of this machine's monotonic clock: the id of its boot, and on Linux the
// process's time namespace, which may shift the clock. Empty if the system does not report it.
std::string machineClockId();

// Reads the monotonic clock and the wall clock together. `at`: the nanoseconds since the recording
// began, at the call; the anchor has the time of its reading, slightly later. The error of the wall
// clock is that of the kernel plus the duration of the reading; nullopt if the wall clock is not
// synchronised.
ClockAnchor clockAnchor(std::int64_t at);

}  // namespace shardlens
