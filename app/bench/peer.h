#pragma once

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <string>
#include <sys/types.h>
#include <vector>

namespace shardlens {

// A child process that takes samples on request: a script in peers/ that runs the real DTensor, or
// this program in another role. Each message is one line of JSON. One sample is taken per request,
// so that the two sides of a comparison alternate.
class Peer {
 public:
  // Starts the process and waits for its greeting. Fails if the program does not exist, or if its
  // Python has no complete torch.
  static Result<Peer> start(const std::vector<std::string>& command);
  // start() in two parts: spawn() starts the process with these additional environment variables,
  // greet() waits for its greeting.
  static Result<Peer> spawn(std::vector<std::string> command,
                            const std::map<std::string, std::string>& variables);
  Result<void> greet();
  Peer(Peer&& other) noexcept;
  Peer& operator=(Peer&&) = delete;
  // Calls dismiss() and blocks until the process has ended.
  ~Peer();

  // The version in the greeting; empty if there was none.
  const std::string& torchVersion() const { return torchVersion_; }

  // Sends a request and blocks until the answer. Fails if the process has ended or the answer is
  // not a JSON object. A request that DTensor refuses is no failure: the answer has a "refused".
  Result<nlohmann::json> ask(const nlohmann::json& question);
  // The two parts of ask().
  Result<void> send(const nlohmann::json& question) const;
  Result<nlohmann::json> answer();
  // Closes the connection; the process ends when it reads the end of its input.
  void dismiss();

 private:
  Peer(pid_t process, int socket) : process_(process), socket_(socket) {}

  pid_t process_ = -1;
  int socket_ = -1;
  std::string pending_;  // received, but not returned by answer() yet
  std::string torchVersion_;
};

}  // namespace shardlens
