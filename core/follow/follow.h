#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <functional>
#include <string>

namespace shardlens {

struct FollowOptions {
  std::string host;
  std::string port;
  std::string token;
  std::filesystem::path into;
  std::function<void(const std::string&)> log;
};

enum class FollowEnd { RunEnded, ConnectionLost };

// Writes the recordings that a server sends as recordings in a folder, which grow as those over
// there do. When the connection breaks it connects again and goes on, some times. An error: it was
// refused, or cannot write.
Result<FollowEnd> follow(const FollowOptions& options);

}  // namespace shardlens
