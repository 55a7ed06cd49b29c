#include "app/bench/comparisons.h"
#include "app/bench/samples.h"
#include "app/bench/team.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <filesystem>

namespace shardlens {
namespace {

using nlohmann::json;

constexpr int kTurns = 9;

struct Case {
  std::string name;
  json question;
  double timesFaster;  // at least; 0: no target
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const auto& [rows, width] : {std::pair{100000, 128}, std::pair{1000000, 64}}) {
    for (const int ids : {4096, 65536}) {
      const bool many = ids > 4096;
      for (const char* to : {"S(0)", "R"}) {
        const bool cut = std::string(to) != "R";
        all.push_back({std::to_string(rows) + " x " + std::to_string(width) + ", " +
                           std::to_string(ids) + " ids -> " + to,
                       {{"what", "lookup"},
                        {"rows", rows},
                        {"width", width},
                        {"ids", ids},
                        {"to", to},
                        {"calls", many ? 3 : 20}},
                       cut ? (many ? 4 : 1.8) : (many ? 1.3 : 0)});
      }
    }
  }
  all.push_back({"64 MiB, S(0) -> S(1)",
                 {{"what", "move"}, {"side", 4096}, {"from", "S(0)"}, {"to", "S(1)"}, {"calls", 3}},
                 8});
  return all;
}

// The samples of one side: wall time and processor time of all processes in ms, and MiB sent.
struct Side {
  Samples wall, processor, sent;

  void add(const json& answer) {
    wall.add(answer.at("wall").get<double>() / 1e3);
    processor.add(answer.at("processor").get<double>() / 1e3);
    sent.add(answer.at("sent").get<double>() / (1 << 20));
  }
};

void print(const Case& of, const Side& peer, const Side& ours) {
  const double ratio = peer.wall.median() / ours.wall.median();
  std::printf("  %-33s %22s %22s %6.1f", of.name.c_str(), peer.wall.text(1).c_str(),
              ours.wall.text(1).c_str(), ratio);
  if (of.timesFaster > 0) {
    std::printf(" %3.1f %-6s", of.timesFaster, ratio >= of.timesFaster ? "met" : "MISSED");
  } else {
    std::printf(" %10s", "");
  }
  std::printf(" %7.1f %6.1f %7.1f %6.1f\n", peer.processor.median(), ours.processor.median(),
              peer.sent.median(), ours.sent.median());
  std::fflush(stdout);
}

Result<json> compareAmong(int processes, const std::vector<std::string>& peerCommand,
                          const std::vector<std::string>& ourCommand) {
  auto peer = Team::start(peerCommand, processes);
  if (!peer) return fail("DTensor's: " + peer.error().message);
  auto ours = Team::start(ourCommand, processes);
  if (!ours) return fail("ours: " + ours.error().message);
  std::printf("\n%-35s %22s %22s %6s %10s %14s %14s\n",
              ("on " + std::to_string(processes) + " processes, by Gloo").c_str(), "DTensor's ms",
              "ours", "ratio", "at least", "processor ms", "MiB sent");
  json samples = json::array();
  for (const auto& of : cases()) {
    Side theirs, own;
    for (int turn = 0; turn < kTurns; ++turn) {
      json sample = {{"processes", processes}, {"request", of.question}};
      const auto answer = peer->ask(of.question);
      if (!answer) return answer;
      if (answer->contains("refused")) return fail("DTensor: " + answer->at("refused").dump());
      const auto our = ours->ask(of.question);
      if (!our) return our;
      theirs.add(*answer);
      own.add(*our);
      sample.update({{"peer", *answer}, {"ours", *our}});
      samples.push_back(std::move(sample));
    }
    print(of, theirs, own);
  }
  return samples;
}

}  // namespace

Result<json> compareGloo(const PeerOptions& options) {
  const auto self = std::filesystem::read_symlink("/proc/self/exe").string();
  json samples = json::array();
  for (const int processes : {4, 2}) {
    const auto some = compareAmong(processes, peerCommand(options, "gloo"), {self, "--member"});
    if (!some) return some;
    samples.insert(samples.end(), some->begin(), some->end());
  }
  return samples;
}

}  // namespace shardlens
