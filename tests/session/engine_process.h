#pragma once

#include "core/trace/protocol.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>

namespace shardlens {

// The engine as the window has it: a child process that connects to a socket of ours.
class EngineProcess {
 public:
  // Starts it on a scenario in a folder of its own; the engine has connected when it returns, or
  // ended without.
  explicit EngineProcess(const std::string& scenario);
  ~EngineProcess();

  void send(const Request& request) const;
  void sendBytes(std::string_view bytes) const;
  // The next report; none once the engine has gone.
  std::optional<Report> hear();
  // Hears until the engine pauses or finishes.
  Report settle();

  void kill() const;
  void hangUp();
  // Waits for its end: the exit code, or minus the signal.
  int wait();
  std::string errors() const;

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
