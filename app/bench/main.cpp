// shardlens-bench: measures the cost of sharding against plain libtorch and against DTensor, both
// sides in one run.

#include "app/bench/command_line.h"
#include "app/bench/comparisons.h"
#include "app/bench/measurements.h"
#include "app/bench/ratios.h"
#include "app/bench/team.h"

#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>

namespace shardlens {
namespace {

constexpr int kFailed = 1;
constexpr int kUnusable = 2;
constexpr int kNoPeers = 3;

int complain(const std::string& message, int exitCode) {
  std::fprintf(stderr, "shardlens-bench: %s\n", message.c_str());
  return exitCode;
}

// Our options come first, so that options of the user override them.
int run(const PlainOptions& options) {
  std::vector<std::string> args = {"shardlens-bench", "--benchmark_enable_random_interleaving=true",
                                   "--benchmark_repetitions=9", "--benchmark_min_time=0.02",
                                   "--benchmark_display_aggregates_only=true"};
  args.insert(args.end(), options.benchmarkOptions.begin(), options.benchmarkOptions.end());
  std::vector<char*> pointers;
  for (auto& arg : args) pointers.push_back(arg.data());
  int count = static_cast<int>(pointers.size());
  benchmark::Initialize(&count, pointers.data());
  if (benchmark::ReportUnrecognizedArguments(count, pointers.data())) return kUnusable;
  at::set_num_threads(1);
  registerMeasurements();
  RatioReporter reporter;
  return benchmark::RunSpecifiedBenchmarks(&reporter) == 0 ? kFailed : 0;
}

Result<nlohmann::json> compare(const std::string& name, const PeerOptions& options, Clock clock) {
  if (name == "gloo") return compareGloo(options);
  if (name == "import") return compareImport(options);
  if (name == "journal") return compareJournal(options.events);
  if (name == "query") return compareQuery(options.events);
  if (name == "run") return compareRun(options);
  const std::map<std::string, Result<nlohmann::json> (*)(Peer&, Clock)> comparisons = {
      {"blocks", compareBlocks},        {"dispatch", compareDispatch},
      {"embedding", compareEmbeddings}, {"plan", comparePlans},
      {"recording", compareRecording},  {"redistribute", compareRedistributions}};
  auto peer = Peer::start(peerCommand(options, name));
  if (!peer) return tl::unexpected(peer.error());
  // Recording is measured by wall time: work of the writer on another core delays no run.
  return comparisons.at(name)(*peer, name == "recording" ? Clock::Wall : clock);
}

bool needPeers(const PeerOptions& options) {
  static const std::set<std::string> kAlone = {"import", "journal", "query", "run"};
  return std::ranges::any_of(options.comparisons,
                             [](const std::string& name) { return !kAlone.contains(name); });
}

int run(const PeerOptions& options) {
  std::ofstream file;
  if (!options.json.empty()) file.open(options.json);
  if (!file) return complain(options.json + " cannot be written", kUnusable);
  at::set_num_threads(options.threads);
  const Clock clock = clockFor(options.threads);
  nlohmann::json measured = {{"clock", clockName(clock)}, {"threads", options.threads}};
  if (needPeers(options)) {
    const auto torch = Peer::start(peerCommand(options, "version")).map([](const Peer& peer) {
      return peer.torchVersion();
    });
    if (!torch) {
      return complain(
          "the peers are left out, for there is no full torch: " + torch.error().message, kNoPeers);
    }
    measured["torch"] = *torch;
  }
  for (const auto& name : options.comparisons) {
    auto samples = compare(name, options, clock);
    if (!samples) return complain(name + ": " + samples.error().message, kFailed);
    measured[name] = std::move(*samples);
  }
  if (file.is_open()) file << measured.dump() << '\n';
  return 0;
}

int run(const LoopOptions& loop) {
  at::set_num_threads(1);
  runLoop(loop);
  return 0;
}

int run(const MemberOptions&) {
  at::set_num_threads(1);
  const auto ran = runMember();
  return ran ? 0 : complain(ran.error().message, kFailed);
}

int run(const JournalReaderOptions& options) {
  const auto read = runJournalReader(options);
  return read ? 0 : complain(read.error().message, kFailed);
}

int run(int exitCode) { return exitCode; }

}  // namespace

std::vector<std::string> peerCommand(const PeerOptions& options, const std::string& name) {
  return {options.python, "-W", "ignore", SHARDLENS_PEERS "/" + name + ".py",
          std::to_string(options.threads)};
}

}  // namespace shardlens

int main(int argc, char** argv) {
  return std::visit([](const auto& options) { return shardlens::run(options); },
                    shardlens::parseCommandLine(argc, argv));
}
