#pragma once

namespace shardlens {

// Return the resident memory of this process in MiB: now, and at its peak. 0 if /proc lacks it.
double residentMiB();
double peakMiB();

}  // namespace shardlens
