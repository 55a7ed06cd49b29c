#include "app/bench/comparisons.h"
#include "app/bench/samples.h"
#include "app/bench/temporary_folder.h"
#include "core/imports/formats/chrome_trace.h"
#include "core/imports/import_dumps.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <fstream>

namespace shardlens {
namespace {

using nlohmann::json;

constexpr int kSamples = 5;

// Two events in Kineto's format: an operator, and another inside of it.
constexpr auto kEvents = R"({}
  {{
    "ph": "X", "cat": "cpu_op", "name": "aten::linear", "pid": 8652, "tid": 8652,
    "ts": {}.182, "dur": 24.374,
    "args": {{
      "External id": {},"Record function id": 0, "Concrete Inputs": ["", "", ""], "Input type": ["float", "float", "float"], "Input Strides": [[24, 8, 1], [8, 1], [1]], "Input Dims": [[2, 3, 8], [16, 8], [16]], "Ev Idx": {}
    }}
  }},
  {{
    "ph": "X", "cat": "cpu_op", "name": "aten::addmm", "pid": 8652, "tid": 8652,
    "ts": {}.604, "dur": 12.5,
    "args": {{
      "External id": {},"Record function id": 0, "Concrete Inputs": ["", "", "", "1", "1"], "Input type": ["float", "float", "float", "Scalar", "Scalar"], "Input Strides": [[1], [8, 1], [1, 8], [], []], "Input Dims": [[16], [6, 8], [8, 16], [], []], "Ev Idx": {}
    }}
  }})";

Result<void> writeTrace(const std::filesystem::path& path, EventId events) {
  std::ofstream file(path, std::ios::binary);
  file
      << R"({"schemaVersion": 1, "distributedInfo": {"backend": "gloo", "rank": 0}, "traceEvents": [)";
  for (EventId i = 0; i < events; i += 2) {
    const std::int64_t time = 4611126757649 + 30LL * i;
    file << fmt::format(kEvents, i == 0 ? "" : ",", time, i, i, time + 1, i + 1, i + 1);
  }
  file << "\n]}\n";
  file.close();
  return file ? Result<void>() : fail(path.string() + " cannot be written");
}

Result<json> jsonLoad(const PeerOptions& options, const std::filesystem::path& path) {
  auto peer = Peer::start(peerCommand(options, "json_load"));
  if (!peer) return tl::unexpected(peer.error());
  return peer->ask({{"path", path.string()}});
}

}  // namespace

Result<json> compareImport(const PeerOptions& options) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "rank0.json";
  if (const auto done = writeTrace(path, options.events / 20); !done) {
    return tl::unexpected(done.error());
  }
  std::uint64_t events = 0;
  Samples reading, importing, loading;
  json samples = json::array();
  const auto rate = [&](const Taken& taken, Clock clock) {
    return static_cast<double>(events) / taken.by(clock);  // millions a second
  };
  for (int i = 0; i < kSamples; ++i) {
    const CallTimer readTimer;
    events = countChromeEvents(*ByteSource::open(path).value());
    const Taken read = readTimer.taken();
    const CallTimer importTimer;
    const auto into = folder.path() / "into";
    if (const auto report = importDumps({path}, into); !report)
      return tl::unexpected(report.error());
    const Taken imported = importTimer.taken();
    std::filesystem::remove_all(into);
    const auto loaded = jsonLoad(options, path);
    if (!loaded) return loaded;
    reading.add(rate(read, Clock::Processor));
    importing.add(rate(imported, Clock::Wall));
    loading.add(rate(loaded->get<Taken>(), Clock::Processor));
    samples.push_back({{"read", read}, {"imported", imported}, {"json.load", *loaded}});
  }
  fmt::print(
      "\na trace of Kineto's, {} events, {} MB; millions of events a second, median "
      "[quartiles]\n",
      events, std::filesystem::file_size(path) / 1'000'000);
  fmt::print("    {:<44} {:>24} {:>4} at least, {}\n", "read", reading.text(2), 2,
             reading.median() >= 2 ? "met" : "MISSED");
  fmt::print("    {:<44} {:>24}\n", "converted to a recording, wall time", importing.text(2));
  fmt::print("    {:<44} {:>24}\n", "Python's json.load", loading.text(2));
  std::fflush(stdout);
  return samples;
}

}  // namespace shardlens
