#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace shardlens {

struct ServeOptions {
  std::filesystem::path folder;
  std::uint16_t port = 0;  // 0: any free port
  std::string token;
  // Called once with the port, before the first client is accepted. Must be set, as must `log`.
  std::function<void(std::uint16_t port)> onListening;
  std::function<void(const std::string&)> log;  // called from any thread, by one at a time
};

// Serves the recordings of a folder, growing or finished, to clients on the loopback interface that
// know the token: eight followers at most, and 64 connections that have not sent the token yet.
// Each has a detached thread, which keeps a copy of `options` and may outlive this call; all share
// one journal for each recording. Blocks; returns only on an error: the folder is missing, the port
// is taken, or accepting fails.
Error serve(const ServeOptions& options);

}  // namespace shardlens
