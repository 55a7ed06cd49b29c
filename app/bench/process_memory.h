#pragma once

namespace shardlens {

// Of this process, in MiB: what it has in memory now, and the most that it ever had.
double residentMiB();
double peakMiB();

}  // namespace shardlens
