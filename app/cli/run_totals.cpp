#include "app/cli/run_totals.h"

#include "core/base/json_text.h"
#include "core/model/byte_count.h"
#include "core/trace/events/event_names.h"
#include "core/trace/merge/run_summary.h"
#include "core/view/words/units.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace shardlens::cli {
namespace {

using nlohmann::ordered_json;

// The collectives of one kind over one axis.
struct Calls {
  std::set<std::string> groups;
  Totals totals;
};

std::map<std::pair<std::string, std::string>, Calls> callsOf(const RunSummary& run) {
  std::map<std::pair<std::string, std::string>, Calls> all;
  for (const auto& file : run.files) {
    for (const auto& group : file.summary.totals) {
      if (group.kind != EventKind::Collective) continue;
      Calls& calls = all[{group.axis, group.name}];
      calls.groups.insert(group.ranks);
      calls.totals.add(group.totals);
    }
  }
  return all;
}

ordered_json metaOf(const RunSummary& run, const char* key) {
  for (const auto& file : run.files) {
    const auto found = file.summary.meta.find(key);
    if (found != file.summary.meta.end() && !found->second.empty()) return found->second;
  }
  return nullptr;
}

ordered_json totalsJson(const RunSummary& run) {
  ordered_json json;
  json["recordings"] = run.files.size();
  for (const char* key : {"title", "path", "mesh", "backend"}) json[key] = metaOf(run, key);
  std::vector<RankRange> unclosed;
  std::int64_t segments = 0, running = 0, implicit = 0;
  for (const auto& file : run.files) {
    const RecordingSummary& summary = file.summary;
    if (!summary.isClosed) unclosed.insert(unclosed.end(), file.hosted.begin(), file.hosted.end());
    segments += summary.segments;
    running += summary.running;
    implicit += summary.implicit;
  }
  json["hosted"] = rangesText(run.hosted());
  json["unclosed"] = rangesText(united(unclosed));
  json["segments"] = segments;
  json["events"] = run.events();
  json["running"] = running;
  json["kinds"] = ordered_json::object();
  for (int i = 0; i < kEventKinds; ++i) {
    const auto kind = static_cast<EventKind>(i);
    if (const auto count = run.count(kind); count > 0) {
      json["kinds"][std::string(kindName(kind))] = count;
    }
  }
  json["steps"] = run.steps();
  json["duration"] = run.end();
  json["implicit"] = implicit;
  json["programs"] = ordered_json::array();
  for (const auto& ranks : run.programs()) json["programs"].push_back(rangesText(ranks));
  json["collectives"] = ordered_json::array();
  for (const auto& [of, calls] : callsOf(run)) {
    json["collectives"].push_back({{"name", of.second},
                                   {"axis", of.first},
                                   {"groups", calls.groups.size()},
                                   {"calls", calls.totals.count},
                                   {"bytes", calls.totals.bytes},
                                   {"time", calls.totals.nanoseconds},
                                   {"exposed", calls.totals.exposed}});
  }
  return json;
}

void printLine(const char* what, const std::string& text) {
  if (!text.empty()) std::cout << fmt::format("{:<12}{}\n", what, text);
}

std::string shownText(const ordered_json& value) {
  return value.is_null() ? std::string() : value.get<std::string>();
}

std::string ranksCell(const std::string& ranks) { return ranks.empty() ? ranks : "ranks " + ranks; }

std::string callsText(const ordered_json& calls) {
  const auto axis = calls["axis"].get<std::string>();
  return fmt::format("{}{}: {} calls in {}, {} sent, {}", calls["name"].get<std::string>(),
                     axis.empty() ? "" : " over " + axis, calls["calls"].get<std::int64_t>(),
                     view::plural(calls["groups"].get<int>(), "group"),
                     byteCountText(calls["bytes"].get<std::int64_t>()),
                     view::durationText(calls["time"].get<std::int64_t>()));
}

void printTotals(const ordered_json& json) {
  constexpr std::size_t kMostPrograms = 16;
  for (const char* key : {"title", "path", "mesh", "backend"}) printLine(key, shownText(json[key]));
  printLine("hosted", ranksCell(json["hosted"].get<std::string>()));
  printLine("unclosed", ranksCell(json["unclosed"].get<std::string>()));
  printLine("events", fmt::format("{} in {}, of {}", json["events"].get<std::int64_t>(),
                                  view::plural(json["recordings"].get<int>(), "recording"),
                                  view::plural(json["steps"].get<int>(), "step")));
  for (const auto& [kind, count] : json["kinds"].items()) {
    printLine("", fmt::format("{:>12}  {}", count.get<std::int64_t>(), kind));
  }
  printLine("duration", view::durationText(json["duration"].get<std::int64_t>()));
  const auto implicit = json["implicit"].get<std::int64_t>();
  if (implicit > 0) printLine("implicit", fmt::format("{} redistributions that send", implicit));
  const auto& programs = json["programs"];
  printLine("sequences", view::plural(programs.size(), "event sequence"));
  for (std::size_t i = 0; programs.size() > 1 && i < std::min(programs.size(), kMostPrograms);
       ++i) {
    printLine("", ranksCell(programs[i].get<std::string>()));
  }
  if (programs.size() > kMostPrograms) {
    printLine("", fmt::format("{} more: see --json", programs.size() - kMostPrograms));
  }
  const char* heading = "collectives";
  for (const auto& calls : json["collectives"]) {
    printLine(std::exchange(heading, ""), callsText(calls));
  }
}

}  // namespace

int runTotals(const std::vector<std::filesystem::path>& files, Output output) {
  const auto run = summarizeRun(files);
  if (!run) return unusable(run.error().message);
  const auto json = totalsJson(*run);
  if (output == Output::Json) {
    printJson(json);
  } else {
    printTotals(json);
  }
  return finishOutput(reportLeftOut(run->leftOut) ? kRefused : kAllRan);
}

}  // namespace shardlens::cli
