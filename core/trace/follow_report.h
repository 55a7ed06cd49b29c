#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace shardlens {

// What happens while a run is followed elsewhere. `shardlens follow --json` says it to programs,
// the window among them: one JSON object a line.
struct FollowReport {
  enum class Kind {
    Following,      // connected, for the first time or again
    Recording,      // the copy of a recording has begun
    Retrying,       // the connection is gone, and another is tried
    RunEnded,       // every recording is whole
    ConnectionLost  // nobody answers any more: the recordings end where it broke
  };
  Kind kind = Kind::Following;
  std::string file = {};  // of a Recording: its name
  bool operator==(const FollowReport&) const = default;
};

std::string encode(const FollowReport& report);  // with the newline
Result<FollowReport> parseFollowReport(std::string_view line);

}  // namespace shardlens
