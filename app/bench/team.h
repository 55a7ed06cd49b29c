#pragma once

#include "app/bench/peer.h"

namespace shardlens {

// A group of processes that run the same measurement together, one rank each, with the environment
// of torchrun on one machine. They are scripts with DTensor, or processes of this program.
class Team {
 public:
  // Starts the processes and waits for their greetings. Fails as Peer::start() does.
  static Result<Team> start(const std::vector<std::string>& command, int processes);
  ~Team();
  Team(Team&&) = default;

  // Sends the request to all members. Returns the wall time of the slowest ("wall"), the processor
  // time of all ("processor"), and the bytes that all sent ("sent"). Returns the first answer with
  // a "refused" instead; later answers are then unread, so no further request is possible.
  Result<nlohmann::json> ask(const nlohmann::json& question);

 private:
  Team() = default;

  std::vector<Peer> members_;
};

// The role of a member of a Team.
struct MemberOptions {};

// Runs this process as a member: reads requests from standard input and writes answers to standard
// output, as peers/gloo.py does, until the input ends. Fails if it cannot join the other members.
Result<void> runMember();

}  // namespace shardlens
