#include "app/bench/team.h"

#include "core/cluster/ports.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace shardlens {

Result<Team> Team::start(const std::vector<std::string>& command, int processes) {
  const auto port = std::to_string(freePort());
  Team team;
  for (int process = 0; process < processes; ++process) {
    const auto number = std::to_string(process);
    auto member = Peer::spawn(command, {{"RANK", number},
                                        {"LOCAL_RANK", number},
                                        {"WORLD_SIZE", std::to_string(processes)},
                                        {"MASTER_ADDR", "127.0.0.1"},
                                        {"MASTER_PORT", port},
                                        {"GLOO_SOCKET_IFNAME", "lo"},
                                        {"OMP_NUM_THREADS", "1"}});
    if (!member) return tl::unexpected(member.error());
    team.members_.push_back(std::move(*member));
  }
  for (auto& member : team.members_) {
    if (const auto ready = member.greet(); !ready) return tl::unexpected(ready.error());
  }
  return team;
}

// Disconnects all members before the destructor of a Peer waits for one, because members end
// together.
Team::~Team() {
  for (auto& member : members_) member.dismiss();
}

Result<nlohmann::json> Team::ask(const nlohmann::json& question) {
  for (auto& member : members_) {
    if (const auto sent = member.send(question); !sent) return tl::unexpected(sent.error());
  }
  nlohmann::json all;
  for (auto& member : members_) {
    auto answer = member.answer();
    if (!answer || answer->contains("refused")) return answer;
    if (all.is_null()) {
      all = std::move(*answer);
      continue;
    }
    all["wall"] = std::max(all["wall"].get<double>(), answer->at("wall").get<double>());
    all["processor"] = all["processor"].get<double>() + answer->at("processor").get<double>();
  }
  return all;
}

}  // namespace shardlens
