#pragma once

#include "core/base/result.h"
#include "core/trace/follow_report.h"

#include <filesystem>
#include <functional>
#include <string>

namespace shardlens {

struct FollowOptions {
  std::string host;
  std::string port;
  std::string token;
  std::filesystem::path into;
  // What happens on the way; how it ends is what follow() gives.
  std::function<void(const FollowReport&)> report;
};

enum class FollowEnd { RunEnded, ConnectionLost };

// Writes the recordings that a server sends as recordings in a folder, which grow as those over
// there do. When the connection breaks it connects again and goes on, some times. An error: it was
// refused, or cannot write.
Result<FollowEnd> follow(const FollowOptions& options);

}  // namespace shardlens
