#include "app/bench/comparisons.h"
#include "app/bench/journal_reader.h"
#include "app/bench/process_memory.h"
#include "app/bench/program_cost.h"
#include "app/bench/run_case.h"
#include "app/bench/samples.h"
#include "app/bench/temporary_folder.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <functional>

namespace shardlens {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr int kSamples = 3;
constexpr double kEnough = 6;  // seconds of processor time, after which a command is not repeated

// Prints a line of the table: a name, samples, and a target; 0: none.
json print(const std::string& name, const Samples& samples, const std::string& unit,
           double most = 0) {
  fmt::print("    {:<40} {:>24} {}", name, samples.text(2), unit);
  if (most > 0) {
    fmt::print(" {:>4} at most, {}", most, samples.median() <= most ? "met" : "MISSED");
  }
  fmt::print("\n");
  std::fflush(stdout);
  return {{"what", name}, {"unit", unit}, {"median", samples.median()}};
}

// Prints and returns processor time, with the median of the wall time.
json print(const std::string& name, const Samples& processor, const Samples& wall, double MiB,
           double most = 0) {
  const auto memory = MiB > 0 ? fmt::format(", {:.0f} MiB", MiB) : "";
  json line =
      print(name, processor, fmt::format("s, wall {:.2f} s{}", wall.median(), memory), most);
  line.update({{"unit", "s"}, {"wall", wall.median()}, {"MiB", MiB}});
  return line;
}

// Measures a command, up to kSamples times. Calls `before` ahead of each.
Result<json> command(
    const std::string& name, const std::string& program, const std::vector<std::string>& arguments,
    double most = 0, const std::function<void()>& before = [] {}) {
  Samples wall, processor, memory;
  double spent = 0;
  for (int i = 0; i < kSamples && spent < kEnough; ++i) {
    before();
    const auto cost = costOf(program, arguments);
    if (!cost) return tl::unexpected(cost.error());
    spent += cost->processor;
    wall.add(cost->wall);
    processor.add(cost->processor);
    memory.add(cost->MiB);
  }
  return print(name, processor, wall, memory.median(), most);
}

// Measures the merged journal, in a process that does nothing else.
Result<json> reading(const fs::path& run) {
  Samples open, wall, position, rate, memory, files;
  json last;
  double spent = 0;
  for (int i = 0; i < kSamples && spent < kEnough; ++i) {
    const auto read = readJournal(run);
    if (!read) return read;
    last = *read;
    spent += last.at("open").get<Taken>().processor / 1e6;
    const auto seconds = [&](const char* what) {
      return last.at(what).get<Taken>().processor / 1e6;
    };
    open.add(seconds("open"));
    wall.add(last.at("open").get<Taken>().wall / 1e6);
    position.add(seconds("p95") * 1e3);
    rate.add(last.at("events").get<double>() / seconds("all") / 1e6);
    memory.add(last.at("MiB").get<double>());
    files.add(last.at("files").get<double>());
  }
  return json::array({print("opening: reading and joining all events", open, wall, 0),
                      print("peak memory of the opened run", memory, "MiB", 500),
                      print("open files", files, "files", 512),
                      print("snapshot at a position: 95th percentile", position, "ms", 16),
                      print("merged events read per second", rate, "million", 0),
                      {{"what", "merged events"}, {"median", last.at("events")}}});
}

// A question in SQL, which this program and DuckDB answer.
struct Question {
  std::string name;
  std::string sql;
};

std::vector<Question> questions(const RunCase& of) {
  return {{"count by kind", "SELECT kind, count(*) FROM events GROUP BY kind"},
          {"collectives by name and ranks",
           "SELECT name, ranks, count(*), sum(bytes), sum(duration) FROM events"
           " WHERE kind = 'Collective' GROUP BY name, ranks"},
          {"10 steps by time of collectives",
           "SELECT step, sum(duration) AS spent FROM events WHERE kind = 'Collective'"
           " GROUP BY step ORDER BY spent DESC LIMIT 10"},
          {"events of a step", fmt::format("SELECT id, kind, name, bytes, duration FROM events"
                                           " WHERE step = {}",
                                           std::max(of.steps / 2, 1))},
          {"collectives of a group",
           "SELECT id, name, sequence, duration FROM events"
           " WHERE process_group = '0,1' AND sequence < 100"}};
}

Result<json> queries(const RunCase& of, const fs::path& run, const fs::path& parquet,
                     const PeerOptions& options) {
  auto exported = costOf("shardlens", {"export", run.string(), "--to", parquet.string()});
  if (!exported) return tl::unexpected(exported.error());
  auto peer = Peer::start(peerCommand(options, "parquet"));
  if (!peer) return tl::unexpected(peer.error());
  Samples exporting, wall;
  exporting.add(exported->processor);
  wall.add(exported->wall);
  json all = json::array({print("export to Parquet", exporting, wall, exported->MiB)});
  for (const auto& question : questions(of)) {
    const auto ours =
        command("SQL: " + question.name, "shardlens", {"query", question.sql, run.string()});
    if (!ours) return ours;
    Samples theirs, elapsed;
    for (int i = 0; i < kSamples; ++i) {
      const auto answer =
          peer->ask({{"folder", parquet.string()}, {"sql", question.sql}, {"threads", 2}});
      if (!answer) return answer;
      theirs.add(answer->get<Taken>().processor / 1e6);
      elapsed.add(answer->get<Taken>().wall / 1e6);
    }
    all.push_back({{"what", question.name},
                   {"shardlens", *ours},
                   {"duckdb", print("    DuckDB on the Parquet", theirs, elapsed, 0)}});
  }
  return all;
}

std::uintmax_t sizeOf(const fs::path& folder) {
  std::uintmax_t sum = 0;
  for (const auto& file : fs::recursive_directory_iterator(folder)) {
    if (file.is_regular_file()) sum += file.file_size();
  }
  return sum;
}

}  // namespace

Result<json> compareRun(const PeerOptions& options) {
  const TemporaryFolder folder;
  const auto run = folder.path() / "run", parquet = folder.path() / "run.parquet";
  fs::create_directory(run);
  const RunCase of = runOf(options.ranks, options.events);
  const auto events = recordRun(of, run);
  if (!events) return tl::unexpected(events.error());
  fmt::print(
      "\na run of {} ranks, {} stages, {} events, {:.1f} bytes an event; processor time of the "
      "whole program, median [quartiles], its wall time, and its memory, at least {:.0f} MiB\n",
      of.ranks, of.stages, *events, static_cast<double>(sizeOf(run)) / static_cast<double>(*events),
      residentMiB());
  json samples = json::array();
  const auto add = [&](Result<json> line) -> Result<void> {
    if (!line) return tl::unexpected(line.error());
    samples.push_back(std::move(*line));
    return {};
  };
  const std::string path = run.string(), picture = (folder.path() / "window.png").string();
  const auto step = fmt::format("step:{}", std::max(of.steps / 2, 1));
  const auto last = std::to_string(of.ranks - 1);
  const std::vector<std::function<Result<json>()>> measurements = {
      [&] {
        return command("info --totals without manifest", "shardlens", {"info", "--totals", path},
                       30, [&] { fs::remove(run / "shardlens-manifest.json"); });
      },
      [&] {
        return command("info --totals with manifest", "shardlens", {"info", "--totals", path}, 2);
      },
      [&] { return reading(run); },
      [&] {
        return command("the window's first picture", "shardlens-window-bench",
                       {"--first-picture", path}, 2);
      },
      [&] {
        return command("the window, with all events", "shardlens-gui",
                       {path, "--screenshot", picture});
      },
      [&] {
        return command("query " + step, "shardlens", {"query", step, path}, 1);
      },
      [&] {
        const auto terms = step + " rank:" + last;
        return command("query " + terms, "shardlens", {"query", terms, path}, 1);
      },
      [&] {
        const auto terms = step + " kind:collective group:\"0,1\"";
        return command("query " + terms, "shardlens", {"query", terms, path}, 1);
      },
      [&] {
        return command("problems", "shardlens", {"problems", path}, 60);
      },
      [&] { return queries(of, run, parquet, options); }};
  for (const auto& measurement : measurements) {
    if (const auto done = add(measurement()); !done) return tl::unexpected(done.error());
  }
  return samples;
}

}  // namespace shardlens
