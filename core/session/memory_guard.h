#pragma once

namespace shardlens {

// From now on what this machine's memory cannot hold is refused before it is allocated. Linux would
// grant it, and end the process when it is written. For the process; further calls do nothing.
void guardMemory();

}  // namespace shardlens
