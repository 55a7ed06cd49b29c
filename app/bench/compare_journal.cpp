#include "app/bench/comparisons.h"
#include "app/bench/journal_case.h"
#include "app/bench/journal_reader.h"
#include "app/bench/samples.h"
#include "app/bench/temporary_folder.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <functional>
#include <vector>

namespace shardlens {
namespace {

using nlohmann::json;

constexpr int kWritten = 3;  // times
constexpr int kRead = 5;     // times
constexpr int kProcesses = 64;

// A number that is computed from the samples of a recording, with its target; 0: no target.
struct Figure {
  std::string name;
  int decimals;
  std::function<double(const json& sample)> of;
  double most = 0;
  double least = 0;

  void print(const json& samples) const {
    Samples all;
    for (const auto& sample : samples) all.add(of(sample));
    fmt::print("    {:<44} {:>24}", name, all.text(decimals));
    if (most > 0) fmt::print(" {:>4} at most, {}", most, all.median() <= most ? "met" : "MISSED");
    if (least > 0) {
      fmt::print(" {:>4} at least, {}", least, all.median() >= least ? "met" : "MISSED");
    }
    fmt::print("\n");
    std::fflush(stdout);
  }
};

// One thread reads, so processor time is used (clocks.h).
double secondsOf(const json& sample, const char* what) {
  return sample.at(what).get<Taken>().processor / 1e6;
}

Figure opening() {
  return {"to open, s", 2, [](const json& sample) { return secondsOf(sample, "open"); }};
}

Figure memory(double most) {
  return {"peak memory, MiB", 0, [](const json& sample) { return sample.at("MiB"); }, most};
}

std::vector<Figure> readingFigures() {
  const auto milliseconds = [](const char* what) {
    return [what](const json& sample) { return secondsOf(sample, what) * 1e3; };
  };
  const auto ready = [](const json& sample) {
    return secondsOf(sample, "open") + secondsOf(sample, "index");
  };
  const auto rate = [](const json& sample) {
    return sample.at("events").get<double>() / secondsOf(sample, "all") / 1e6;
  };
  return {opening(),
          {"opening and indexing, s", 2, ready, 3},
          {"a snapshot at a random position, ms", 3, milliseconds("median")},
          {"95th percentile of these, ms", 3, milliseconds("p95"), 5},
          memory(300),
          {"events read per second, millions", 1, rate, 0, 30}};
}

std::vector<Figure> writingFigures() {
  const auto anEvent = [](auto ofTaken) {
    return [ofTaken](const json& sample) {
      return ofTaken(sample.at("write").get<Taken>()) * 1e3 / sample.at("events").get<double>();
    };
  };
  return {{"writing, ns per event", 0, anEvent([](const Taken& taken) { return taken.wall; })},
          {"work of both threads, ns per event", 0,
           anEvent([](const Taken& taken) { return taken.processor; })},
          {"file size, bytes per event", 2, [](const json& sample) {
             return sample.at("bytes").get<double>() / sample.at("events").get<double>();
           }}};
}

// Reads a recording several times, each time in a separate process.
Result<json> readAgain(const std::filesystem::path& path) {
  json samples = json::array();
  for (int i = 0; i < kRead; ++i) {
    auto sample = readJournal(path);
    if (!sample) return sample;
    samples.push_back(std::move(*sample));
  }
  return samples;
}

Result<json> writeAgain(const JournalCase& of, EventId events, const std::filesystem::path& path) {
  json samples = json::array();
  for (int i = 0; i < kWritten; ++i) {
    const CallTimer watch;
    const auto recorded = recordJournal(of, events, path);
    const Taken taken = watch.taken();
    if (!recorded) return tl::unexpected(recorded.error());
    samples.push_back(
        {{"write", taken}, {"events", *recorded}, {"bytes", std::filesystem::file_size(path)}});
  }
  return samples;
}

Result<json> compareOne(const JournalCase& of, EventId events, const std::filesystem::path& path) {
  const auto written = writeAgain(of, events, path);
  if (!written) return written;
  const auto read = readAgain(path);
  if (!read) return read;
  const auto count = [&](const char* what) { return read->at(0).at(what).get<std::int64_t>(); };
  fmt::print("  {}: {} events, {} tensors, {} mask buffers, {} hits, {} misses\n", of.name,
             count("events"), count("tensors"), count("buffers"), count("hits"), count("misses"));
  for (const auto& figure : writingFigures()) figure.print(*written);
  for (const auto& figure : readingFigures()) figure.print(*read);
  return json{{"what", of.name}, {"written", *written}, {"read", *read}};
}

// Compares opening the same steps as one file and as one file per process.
Result<json> compareProcesses(EventId events, const std::filesystem::path& folder) {
  JournalCase of{.name = "processes", .ranks = kProcesses};
  const auto whole = folder / "whole.shardlens", parts = folder / "processes";
  std::filesystem::create_directory(parts);
  if (const auto one = recordJournal(of, events, whole); !one) return tl::unexpected(one.error());
  for (int rank = 0; rank < kProcesses; ++rank) {
    of.hosted = rank;
    const auto path = parts / fmt::format("rank-{}.shardlens", rank);
    if (const auto one = recordJournal(of, events, path); !one) return tl::unexpected(one.error());
  }
  const auto alone = readAgain(whole);
  if (!alone) return alone;
  const auto merged = readAgain(parts);
  if (!merged) return merged;
  const auto print = [](const std::string& name, const json& samples) {
    fmt::print("  {}\n", name);
    opening().print(samples);
    memory(0).print(samples);
  };
  print(fmt::format("a training loop on {} ranks: {} events, as one file", kProcesses,
                    alone->at(0).at("events").get<EventId>()),
        *alone);
  print(fmt::format("the same as the files of {} processes, merged", kProcesses), *merged);
  return json{{"what", of.name}, {"alone", *alone}, {"merged", *merged}};
}

}  // namespace

Result<json> compareJournal(EventId events) {
  const TemporaryFolder folder;
  fmt::print(
      "\nlarge recordings in {}, processor time where one thread works, median [quartiles]\n",
      folder.path().parent_path().string());
  const auto file = folder.path() / "run.shardlens";
  // Beside its mask buffers and misses the second case has as many events as the first. With 10
  // million events it has 100,000 buffers with 4 changes each, 3 million hits and 8,000 misses.
  const auto loop = compareOne({.name = "a training loop on 8 ranks"}, events, file);
  if (!loop) return loop;
  const auto masks =
      compareOne({.name = "one with many mask buffers and misses", .embeddings = 9, .lengths = 34},
                 events / 7 * 8, file);
  if (!masks) return masks;
  const auto processes = compareProcesses(events / kProcesses, folder.path());
  if (!processes) return processes;
  return json::array({*loop, *masks, *processes});
}

}  // namespace shardlens
