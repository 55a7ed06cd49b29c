#pragma once

#include "app/bench/peer.h"

namespace shardlens {

// Processes that do the same together, each with a rank, as torchrun would start them on this
// machine: of DTensor's or of ours.
class Team {
 public:
  // Fails as Peer::start does.
  static Result<Team> start(const std::vector<std::string>& command, int processes);
  ~Team();
  Team(Team&&) = default;

  // All are asked the same. Of their answers: the wall's time that the slowest took, the work of
  // all, and the bytes sent.
  Result<nlohmann::json> ask(const nlohmann::json& question);

 private:
  Team() = default;

  std::vector<Peer> members_;
};

struct MemberOptions {};

// One of ours: asked on standard input, it answers on standard output what peers/gloo.py does.
// Fails where it cannot join the others.
Result<void> runMember();

}  // namespace shardlens
