#include "app/bench/comparisons.h"
#include "app/bench/recorded_run.h"
#include "app/bench/samples.h"
#include "app/bench/temporary_folder.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstdio>
#include <iterator>

namespace shardlens {
namespace {

using nlohmann::json;

constexpr int kTurns = 15;
constexpr double kMostBytes = 96;  // of the file, per operator
constexpr int kSteps = 1000;
constexpr std::size_t kLevels = std::size(kRecordingLevels);
constexpr const char* kPeerModes[] = {"no mode", "CommDebugMode", "DebugMode"};

// The largest allowed time of each level, as a multiple of the first; 0: no target.
using Bounds = std::array<double, kLevels>;

// A program to measure on both sides.
struct Subject {
  std::string name;
  std::function<RecordedProgram()> make;
  int calls;      // per sample on our side
  double unit;    // of the printed times, in microseconds
  json question;  // for the peer
  Bounds most;
};

std::vector<Subject> subjects() {
  const TransformerCase::Size size{256, 256, 8};
  return {{"an add on one of 4 ranks, in microseconds",
           addsProgram,
           50000,
           1,
           {{"program", "adds"}},
           {0, 1.3, 2, 2}},
          {"a training step of a transformer layer on 4 ranks, in milliseconds",
           [size] { return transformerProgram(size); },
           12,
           1e3,
           {{"program", "transformer"},
            {"length", size.length},
            {"width", size.width},
            {"heads", size.heads}},
           {0, 1.05, 1.1, 2}}};
}

Clock otherThan(Clock clock) { return clock == Clock::Wall ? Clock::Processor : Clock::Wall; }

// The samples of one side: a program in several ways, the first of them plain. A ratio compares a
// way with the plain run of the same turn, by the selected clock and by the other one.
class Slowdowns {
 public:
  Slowdowns(Clock clock, double unit) : clock_(clock), unit_(unit) {}

  void add(std::size_t way, const std::string& name, const Taken& taken) {
    if (way == ways_.size()) ways_.push_back({name});
    if (way == 0) plain_ = taken;
    const auto ratio = [&](Clock clock) { return taken.by(clock) / plain_.by(clock); };
    ways_[way].time.add(taken.by(clock_) / unit_);
    ways_[way].ratio.add(ratio(clock_));
    ways_[way].other.add(ratio(otherThan(clock_)));
  }

  void print(const char* side, const Bounds& most) const {
    for (std::size_t i = 0; i < ways_.size(); ++i) {
      const auto& [name, time, ratio, other] = ways_[i];
      fmt::print("    {:<29} {:>22}", fmt::format("{}, {}", side, name), time.text(1));
      if (i > 0) fmt::print(" {:>20} {:>20}", ratio.text(2), other.text(2));
      if (most[i] > 0) {
        fmt::print(" {:>8.2f} {}", most[i], ratio.median() <= most[i] ? "met" : "MISSED");
      }
      fmt::print("\n");
    }
    std::fflush(stdout);
  }

 private:
  struct Way {
    std::string name;
    Samples time = {}, ratio = {}, other = {};
  };
  Clock clock_;
  double unit_;
  std::vector<Way> ways_;
  Taken plain_;
};

Result<json> compare(Peer& peer, Clock clock, const Subject& of,
                     const std::filesystem::path& file) {
  Slowdowns ours(clock, of.unit), theirs(clock, of.unit);
  json samples = json::array();
  for (int turn = 0; turn < kTurns; ++turn) {
    json sample = of.question;
    for (std::size_t i = 0; i < kLevels; ++i) {
      const auto& level = kRecordingLevels[i];
      const auto taken = timeRecorded(of.make(), level, of.calls, file);
      if (!taken) return tl::unexpected(taken.error());
      ours.add(i, level.name, *taken);
      sample["ours"][level.name] = *taken;
    }
    for (std::size_t i = 0; i < std::size(kPeerModes); ++i) {
      json question = of.question;
      question["mode"] = kPeerModes[i];
      const auto answer = peer.ask(question);
      if (!answer) return answer;
      if (answer->contains("refused")) return fail("DTensor: " + answer->at("refused").dump());
      theirs.add(i, kPeerModes[i], answer->get<Taken>());
      sample["peer"][kPeerModes[i]] = *answer;
    }
    samples.push_back(std::move(sample));
  }
  fmt::print("  {}\n", of.name);
  ours.print("ours", of.most);
  theirs.print("DTensor", {});
  return samples;
}

// Checks the size of a recording without values. It does not depend on the sizes of tensors.
Result<json> compareSizes(const std::filesystem::path& file) {
  const auto train = [&](int steps) {
    return sizeRecorded(transformerProgram({8, 16, 4}), steps, file);
  };
  const auto half = train(kSteps / 2), whole = train(kSteps);
  if (!half) return tl::unexpected(half.error());
  if (!whole) return tl::unexpected(whole.error());
  const double bytes = static_cast<double>(whole->bytes) / static_cast<double>(whole->operators);
  const auto print = [](const std::string& name, const std::string& figure, const std::string& most,
                        bool met) {
    fmt::print("    {:<29} {:>22} {:>50} {}\n", name, figure, most, met ? "met" : "MISSED");
  };
  fmt::print("  events alone of {} training steps, {} operators, {:.1f} MiB\n", kSteps,
             whole->operators, static_cast<double>(whole->bytes) / (1 << 20));
  print("file size, bytes per operator", fmt::format("{:.1f}", bytes),
        fmt::format("{:.0f}", kMostBytes), bytes <= kMostBytes);
  print("texts", std::to_string(whole->strings),
        fmt::format("{}, as after {} steps", half->strings, kSteps / 2),
        whole->strings <= half->strings);
  return json{{"program", "training"},         {"steps", kSteps},
              {"operators", whole->operators}, {"bytes", whole->bytes},
              {"strings", whole->strings},     {"strings of half", half->strings}};
}

}  // namespace

Result<json> compareRecording(Peer& peer, Clock clock) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "run.shardlens";
  const auto by = clockName(clock), other = clockName(otherThan(clock));
  fmt::print("\nrecording into {}, per call until the file is closed, median [quartiles]\n",
             folder.path().parent_path().string());
  fmt::print("    {:<29} {:>22} {:>20} {:>20} {:>8}\n", "", fmt::format("{} time", by),
             "times as long", fmt::format("by {} time", other), "at most");
  json samples = json::array();
  for (const auto& subject : subjects()) {
    const auto some = compare(peer, clock, subject, file);
    if (!some) return some;
    samples.insert(samples.end(), some->begin(), some->end());
  }
  auto sizes = compareSizes(file);
  if (!sizes) return sizes;
  samples.push_back(std::move(*sizes));
  return samples;
}

}  // namespace shardlens
