#pragma once

#include "core/protocol/engine_protocol.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>

namespace shardlens {

// Runs the engine as the window does: as a child process that connects to a socket of the test. The
// destructor closes the connection, kills the engine if it was not waited for, and removes the
// folder.
class EngineProcess {
 public:
  // Starts the engine on a scenario in a temporary folder. Returns when it has connected or ended.
  explicit EngineProcess(const std::string& scenario);
  ~EngineProcess();

  // Send a request, or any bytes. Fail the test if the connection is closed.
  void send(const Request& request) const;
  void sendBytes(std::string_view bytes) const;
  // Blocks until the next report arrives. Returns nullopt if the engine has disconnected.
  std::optional<Report> receive();
  // Reads reports until one is not Running, and returns it. Fails the test if the engine
  // disconnects.
  Report settle();

  void kill() const;  // sends SIGKILL and does not wait
  // Closes the connection; a second call does nothing.
  void hangUp();
  // Waits for the engine to end. Returns the exit code, or the negative signal number; later calls
  // return the same.
  int wait();
  std::string errors() const;  // standard error of the engine so far

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path recording() const { return folder_ / "run.shardlens"; }

 private:
  std::filesystem::path folder_;
  pid_t child_ = -1;
  int connection_ = -1;
  std::string pending_;
  std::optional<int> ended_;
};

}  // namespace shardlens
