#pragma once

namespace shardlens {

// Return the resident memory of this process in MiB: now, and at its peak. 0 if /proc lacks it.
double residentMiB();
double peakMiB();

// Returns the number of file descriptors that this process has open. 0 if /proc lacks it.
int openFiles();

}  // namespace shardlens
