#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace shardlens {

struct ServeOptions {
  std::filesystem::path folder;
  std::uint16_t port = 0;  // 0: any that is free
  std::string token;
  std::function<void(std::uint16_t port)> onListening;
  std::function<void(const std::string&)> log;  // from any thread
};

// Sends the recordings of a folder, while they grow and when they have ended, to clients that
// connect to the loopback and know the token. Returns only when it cannot go on: the port is taken,
// or nobody can connect any more.
Error serve(const ServeOptions& options);

}  // namespace shardlens
