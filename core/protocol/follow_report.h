#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace shardlens {

// A progress report of following a run. `shardlens follow --json` prints them for other programs,
// the window included: one JSON object per line.
struct FollowReport {
  enum class Kind {
    Following,      // connected or reconnected
    Recording,      // a copy of a recording was started
    Retrying,       // the connection is lost; it reconnects
    RunEnded,       // the run has ended
    ConnectionLost  // reconnecting failed; the copies end where the connection broke
  };
  Kind kind = Kind::Following;
  std::string file = {};  // Recording: the file name of the copy
  bool operator==(const FollowReport&) const = default;
};

std::string encode(const FollowReport& report);  // one line, newline included
// Returns an error for a line that is not a valid report, also for Recording without a file name.
Result<FollowReport> parseFollowReport(std::string_view line);

}  // namespace shardlens
