#pragma once

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <sys/types.h>
#include <vector>

namespace shardlens {

// The other side of a comparison: a script in peers/ that holds the real DTensor, as a child
// process. It is asked for one sample at a time, so that its samples and ours take turns.
class Peer {
 public:
  // Fails where there is no such python, or it lacks the full torch.
  static Result<Peer> start(const std::string& python, const std::string& script, int threads);
  Peer(Peer&& other) noexcept;
  Peer& operator=(Peer&&) = delete;
  ~Peer();

  const std::string& torchVersion() const { return torchVersion_; }

  // Fails where the peer is gone. What DTensor itself refuses is an answer, with "refused".
  Result<nlohmann::json> ask(const nlohmann::json& question);

 private:
  Peer(pid_t process, int socket) : process_(process), socket_(socket) {}
  Result<nlohmann::json> answer();

  pid_t process_ = -1;
  int socket_ = -1;
  std::string pending_;
  std::string torchVersion_;
};

}  // namespace shardlens
