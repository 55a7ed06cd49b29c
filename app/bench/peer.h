#pragma once

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <string>
#include <sys/types.h>
#include <vector>

namespace shardlens {

// The other side of a comparison, as a child process: a script in peers/ that holds the real
// DTensor, or one of ours. It is asked for one sample at a time, so that samples take turns.
class Peer {
 public:
  // Fails where there is no such program, or it lacks the full torch.
  static Result<Peer> start(const std::vector<std::string>& command);
  // The same in two: its first words are waited for by greet().
  static Result<Peer> spawn(std::vector<std::string> command,
                            const std::map<std::string, std::string>& variables);
  Result<void> greet();
  Peer(Peer&& other) noexcept;
  Peer& operator=(Peer&&) = delete;
  ~Peer();

  const std::string& torchVersion() const { return torchVersion_; }

  // Fails where the peer is gone. What DTensor itself refuses is an answer, with "refused".
  Result<nlohmann::json> ask(const nlohmann::json& question);
  // The same in two.
  Result<void> send(const nlohmann::json& question) const;
  Result<nlohmann::json> answer();
  // There will be no more questions.
  void dismiss();

 private:
  Peer(pid_t process, int socket) : process_(process), socket_(socket) {}

  pid_t process_ = -1;
  int socket_ = -1;
  std::string pending_;
  std::string torchVersion_;
};

}  // namespace shardlens
