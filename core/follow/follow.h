#pragma once

#include "core/base/result.h"
#include "core/protocol/follow_report.h"

#include <filesystem>
#include <functional>
#include <string>

namespace shardlens {

// Where to connect, and where to write the copies.
struct FollowOptions {
  std::string host;
  std::string port;
  std::string token;
  std::filesystem::path into;
  // Receives progress, on the calling thread; must be set. RunEnded and ConnectionLost are not
  // reported here but returned.
  std::function<void(const FollowReport&)> report;
};

// RunEnded: the server reported the end of the run. ConnectionLost: reconnecting failed; the copies
// end where the connection broke.
enum class FollowEnd { RunEnded, ConnectionLost };

// Copies the recordings of a server into a folder, which is created if missing, while they grow.
// Blocks until the run has ended or the connection is lost. After a lost connection it reconnects
// and continues; it gives up after 20 failed attempts, one per second. Returns an error if the
// first connection fails, the server refuses or misbehaves, or a copy cannot be written or exists
// already.
Result<FollowEnd> follow(const FollowOptions& options);

}  // namespace shardlens
