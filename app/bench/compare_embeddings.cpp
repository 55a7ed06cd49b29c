#include "app/bench/comparisons.h"
#include "app/bench/lookup_case.h"
#include "app/bench/loop.h"
#include "app/bench/samples.h"

#include <c10/core/GradMode.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <functional>
#include <memory>
#include <string>

namespace shardlens {
namespace {

using nlohmann::json;

constexpr int kTurns = 9;
constexpr double kMostMemory = 450;  // MiB

// One implementation of a task.
struct Way {
  std::string name;
  double timesFaster;               // than the first, at least; 0: no target
  std::function<void()> call = {};  // empty: the peer runs it
};

// Several implementations of one task. A ratio is the median of the first by that of another.
class Contest {
 public:
  Contest(std::string name, json question, std::vector<Way> ways)
      : name_(std::move(name)), question_(std::move(question)), ways_(std::move(ways)) {}

  // Measures the implementations in turns and prints the result.
  Result<json> run(Peer& peer, Clock clock) const {
    std::vector<Samples> taken(ways_.size());
    json all = json::array();
    for (int turn = 0; turn < kTurns; ++turn) {
      json sample = question_;
      for (std::size_t i = 0; i < ways_.size(); ++i) {
        const auto time = timeOf(ways_[i], peer);
        if (!time) return tl::unexpected(time.error());
        taken[i].add(time->by(clock) / 1e3);
        sample[ways_[i].name] = *time;
      }
      all.push_back(std::move(sample));
    }
    print(taken);
    return all;
  }

 private:
  Result<Taken> timeOf(const Way& way, Peer& peer) const {
    if (way.call) {
      way.call();  // brings data back into the caches of the processor
      return meanOf(way.call);
    }
    auto answer = peer.ask(question_);
    if (!answer) return tl::unexpected(answer.error());
    if (answer->contains("refused")) return fail("DTensor: " + answer->at("refused").dump());
    return answer->get<Taken>();
  }

  void print(const std::vector<Samples>& taken) const {
    std::printf("  %s\n", name_.c_str());
    for (std::size_t i = 0; i < ways_.size(); ++i) {
      const double ratio = taken.front().median() / taken[i].median();
      const double aim = ways_[i].timesFaster;
      std::printf("    %-34s %26s", ways_[i].name.c_str(), taken[i].text(3).c_str());
      if (i > 0) std::printf(" %8.1f", ratio);
      if (aim > 0) std::printf(" %6.0f %s", aim, ratio >= aim ? "met" : "MISSED");
      std::printf("\n");
    }
    std::fflush(stdout);
  }

  std::string name_;
  json question_;
  std::vector<Way> ways_;
};

std::vector<Contest> contestsOf(const std::shared_ptr<LookupCase>& of) {
  const auto& size = of->size();
  const auto timeOf = [&](const char* what) {
    return json{{"what", what}, {"rows", size.rows}, {"width", size.width}, {"ids", size.ids}};
  };
  // 1 if the table is large compared with the number of ids, else 0: then there is no target.
  const double whereLarge = size.rows / size.ids > 100 ? 1 : 0;
  return {{"lookup and reduction, " + size.text(),
           timeOf("lookup"),
           {{"DTensor's", 0},
            {"plain torch's, one rank", 0, [of] { of->plainLookup(); }},
            {"ours, one copy per rank", 8, [of] { of->lookup(Replicas::Apart); }},
            {"ours, a shared replica", 25, [of] { of->lookup(Replicas::Shared); }}}},
          {"mask, lookup and zeroing of the 4 ranks, " + size.text(),
           timeOf("passes"),
           {{"ATen's passes", 0, [of] { of->atenPasses(); }},
            {"the fused pass", 4, [of] { of->fusedPass(); }}}},
          {"gradient of a table on 4 ranks, " + size.text(),
           timeOf("gradient"),
           {{"DTensor's", 0}, {"ours", 0, [of] { of->gradient(); }}}},
          {"gradient of a table, " + size.text(),
           timeOf("whole gradient"),
           {{"plain torch's", 0, [of] { of->plainGradient(); }},
            {"dense, into reused memory", 3 * whereLarge, [of] { of->denseGradient(); }}}}};
}

// Measures peak memory, on each side in a process that has done nothing else before.
Result<json> compareMemory(Peer& peer) {
  const LoopOptions loop{{"lookup"}, {1000000, 64, 65536}};
  json sample = {{"what", "memory"},
                 {"rows", loop.size.rows},
                 {"width", loop.size.width},
                 {"ids", loop.size.ids}};
  const auto answer = peer.ask(sample);
  if (!answer) return answer;
  if (answer->contains("refused")) return fail("DTensor: " + answer->at("refused").dump());
  const auto ours = peakMiBOf(loop);
  if (!ours) return tl::unexpected(ours.error());
  const double peers = answer->at("MiB").get<double>();
  std::printf("  peak memory of a process with 4 ranks, one copy per rank, in MiB, %s\n",
              loop.size.text().c_str());
  std::printf("    %-34s %26.0f\n    %-34s %26.0f %8.1f %6.0f %s\n", "DTensor's", peers, "ours",
              *ours, peers / *ours, kMostMemory, *ours <= kMostMemory ? "met" : "MISSED");
  sample.update({{"peer", peers}, {"ours", *ours}});
  return sample;
}

json countInstructions() {
  const LoopOptions loop{LookupCase::names()};
  std::printf("  ours in instructions per call, %s\n", loop.size.text().c_str());
  json samples = json::array();
  const auto counts = instructionsOf(loop);
  if (!counts) std::printf("    not counted: %s\n", counts.error().message.c_str());
  for (std::size_t i = 0; counts && i < counts->size(); ++i) {
    std::printf("    %-34s %26.0f\n", loop.calls[i].c_str(), counts->at(i));
    samples.push_back({{"what", "instructions"}, {"call", loop.calls[i]}, {"ours", counts->at(i)}});
  }
  return samples;
}

}  // namespace

Result<json> compareEmbeddings(Peer& peer, Clock clock) {
  const c10::NoGradGuard noGrad;
  std::printf("\nrow-wise embedding f32 on %d ranks, %s time in milliseconds, median [quartiles]\n",
              LookupCase::kRanks, std::string(clockName(clock)).c_str());
  json samples = json::array();
  auto memory = compareMemory(peer);
  if (!memory) return memory;
  samples.push_back(std::move(*memory));
  for (const auto& [rows, width] : {std::pair{100000, 128}, std::pair{1000000, 64}}) {
    for (const int ids : {4096, 65536}) {
      const auto lookups = std::make_shared<LookupCase>(LookupCase::Size{rows, width, ids});
      for (const auto& contest : contestsOf(lookups)) {
        auto all = contest.run(peer, clock);
        if (!all) return all;
        samples.insert(samples.end(), all->begin(), all->end());
      }
    }
  }
  for (auto& sample : countInstructions()) samples.push_back(std::move(sample));
  return samples;
}

}  // namespace shardlens
