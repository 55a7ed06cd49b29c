#include "app/cli/commands.h"
#include "app/cli/event_rows.h"
#include "app/cli/recording_answer.h"
#include "app/cli/run_totals.h"
#include "core/base/json_text.h"
#include "core/model/byte_count.h"
#include "core/model/rank_ranges.h"
#include "core/model/rank_selector.h"
#include "core/model/step_number.h"
#include "core/model/step_ranges.h"
#include "core/trace/events/event_names.h"
#include "core/trace/journal/operator_steps.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/merge/merged_parts.h"
#include "core/trace/records/limits_record.h"
#include "core/trace/records/site_record.h"
#include "core/view/words/clock_words.h"
#include "core/view/words/event_words.h"
#include "core/view/words/place_text.h"
#include "core/view/words/role_words.h"
#include "core/view/words/units.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <iostream>
#include <utility>

namespace shardlens::cli {

namespace {

using nlohmann::ordered_json;

constexpr auto kOnInfo =
    "  shardlens info DIR\n"
    "  shardlens info --totals DIR\n"
    "\n"
    "Exit codes: 0 printed, 1 a file of the folder was left out, 2 the command line or a file is "
    "wrong.";

struct InfoOptions {
  std::vector<std::filesystem::path> files;  // recordings or folders of one run
  std::vector<RankRange> steps;              // indexes; empty: all
  bool totals = false;                       // without joining the events
  Output output = Output::Words;
};

// Sums of the totals of a recording.
struct Sums {
  std::int64_t hits = 0, misses = 0;
  std::int64_t bytes = 0;  // sent in collectives

  explicit Sums(const EventTotals& all) {
    for (const auto& [key, totals] : all.all()) {
      if (key.kind == EventKind::Collective) bytes += totals.bytes;
      if (key.verdict == Verdict::Hit) hits += totals.count;
      if (key.verdict == Verdict::Miss || key.verdict == Verdict::Off) misses += totals.count;
    }
  }
};

ordered_json metaJson(const Journal& journal, const char* key) {
  const auto value = journal.meta(key);
  return value.empty() ? ordered_json() : ordered_json(value);
}

ordered_json problemJson(const Journal& journal, EventId id) {
  if (id == 0) return nullptr;
  const Event event = journal.at(id);
  return {{"event", eventNumber(journal, id)},
          {"step", stepNumber(event.step)},
          {"line", event.line},
          {"place", view::placeText(journal, event)},
          {"name", journal.name(event)}};
}

ordered_json bookmarksJson(const Journal& journal) {
  ordered_json all = ordered_json::array();
  for (const auto& [id, note] : journal.bookmarks()) {
    if (id > journal.size()) break;
    ordered_json mark = problemJson(journal, id);
    mark["what"] = view::eventWords(journal, id).title;
    mark["note"] = note;
    all.push_back(std::move(mark));
  }
  return all;
}

// The clock of each rank; empty unless the recording is of several processes.
ordered_json clocksJson(const Journal& journal) {
  ordered_json all = ordered_json::array();
  for (const auto& [rank, start, clock, error] : rankClocks(journal)) {
    ordered_json one = {{"rank", rank}, {"start", start}, {"clock", clock}, {"error", error}};
    if (error >= EventPart::kUnknown) one["error"] = nullptr;
    all.push_back(std::move(one));
  }
  return all;
}

// The roles of the ranks, and where ranks of a role part; empty unless the recording is of several
// processes.
ordered_json rolesJson(const Journal& journal, const std::vector<ProgramRole>& roles) {
  ordered_json all = ordered_json::array();
  const auto mesh = recordedMesh(journal);
  for (const auto& [ranks] : roles) {
    all.push_back({{"ranks", rangesText(ranks)},
                   {"axes", mesh ? axesSelecting(ranks, *mesh) : std::string()}});
  }
  return all;
}

ordered_json sideJson(const Journal& journal, const Divergence::Side& side) {
  ordered_json one = problemJson(journal, side.event);
  one["ranks"] = rangesText(side.ranks);
  one["module"] = readSite(journal.text(journal.at(side.event).site)).module;
  return one;
}

ordered_json divergencesJson(const Journal& journal, const std::vector<Divergence>& found) {
  ordered_json all = ordered_json::array();
  for (const auto& each : found) {
    all.push_back({{"step", stepNumber(each.step)},
                   {"other", sideJson(journal, each.other)},
                   {"most", sideJson(journal, each.most)}});
  }
  return all;
}

ordered_json infoJson(TraceReader& reader, const std::vector<ProgramRole>& roles,
                      const std::vector<Divergence>& divergences) {
  const Journal& journal = reader.journal();
  const EventTotals& totals = journal.totals();
  const Sums sums(totals);
  ordered_json info;
  for (const char* key : {"title", "path", "arguments", "imported", "mesh", "backend", "masking",
                          "planner", "emulate"}) {
    info[key] = metaJson(journal, key);
  }
  info["scenario"] = !journal.meta("scenario").empty();
  info["hosted"] = rangesText(hostedRanges(journal));
  info["clocks"] = clocksJson(journal);
  info["roles"] = rolesJson(journal, roles);
  info["divergences"] = divergencesJson(journal, divergences);
  info["lost"] = reader.lostRanks();
  info["grows"] = reader.mayGrow();
  info["later"] = reader.hasLater();
  info["events"] = journal.size();
  info["kinds"] = ordered_json::object();
  for (int kind = 0; kind < kEventKinds; ++kind) {
    const auto count = totals.count(static_cast<EventKind>(kind));
    if (count > 0) info["kinds"][std::string(kindName(static_cast<EventKind>(kind)))] = count;
  }
  info["steps"] = totals.count(EventKind::Step);
  const auto observed = stepsWithOperators(journal);
  info["operators"] = observed ? ordered_json(stepRangesText(*observed)) : ordered_json();
  info["tensors"] = journal.tensors();
  info["values"] = journal.values().size();
  info["hits"] = sums.hits;
  info["misses"] = sums.misses;
  info["bytes"] = sums.bytes;
  info["duration"] = endOf(journal);
  const auto waited = journal.meta("waited");
  info["waited"] = waited.empty() ? 0 : std::strtoll(std::string(waited).c_str(), nullptr, 10);
  info["error"] = problemJson(journal, journal.firstError());
  info["difference"] = problemJson(journal, journal.firstDifference());
  info["limits"] = readLimits(journal.meta(kLimitsKey));
  info["bookmarks"] = bookmarksJson(journal);
  return info;
}

void line(const char* what, const std::string& text) {
  if (!text.empty()) std::cout << fmt::format("{:<12}{}\n", what, text);
}

std::string textOf(const ordered_json& value) {
  return value.is_null() ? std::string() : value.get<std::string>();
}

// Returns the number of an event, which is a text if it has a rank; see eventNumber().
std::string numberText(const ordered_json& number) {
  return number.is_string() ? number.get<std::string>() : jsonText(number);
}

std::string problemText(const ordered_json& problem) {
  if (problem.is_null()) return {};
  const auto place = problem["place"].get<std::string>();
  const auto step = problem["step"].get<std::int64_t>();
  return fmt::format("{} (event {}{}{}{})", problem["name"].get<std::string>(),
                     numberText(problem["event"]), step == 0 ? "" : fmt::format(", step {}", step),
                     place.empty() ? "" : ", ", place);
}

std::string bookmarkText(const ordered_json& mark) {
  const auto note = mark["note"].get<std::string>();
  return fmt::format("event {}, {}{}", numberText(mark["event"]), mark["what"].get<std::string>(),
                     note.empty() ? "" : ": " + note);
}

// Lists the first roles and all divergences.
void printRoles(const Journal& journal, const std::vector<ProgramRole>& roles,
                const std::vector<Divergence>& divergences) {
  constexpr std::size_t kMost = 16;
  const char* heading = "roles";
  for (std::size_t i = 0; i < std::min(roles.size(), kMost); ++i) {
    line(std::exchange(heading, ""),
         fmt::format("{}: {}", i + 1, view::programRoleText(journal, roles[i])));
  }
  if (roles.size() > kMost) line("", fmt::format("... {} roles", roles.size()));
  heading = "diverged";
  for (const auto& each : divergences) {
    line(std::exchange(heading, ""), view::divergenceText(journal, each));
  }
}

void printInfo(const ordered_json& info, const Journal& journal,
               const std::vector<ProgramRole>& roles, const std::vector<Divergence>& divergences) {
  line("title", textOf(info["title"]));
  line(info["scenario"].get<bool>() ? "scenario" : "program", textOf(info["path"]));
  line("arguments", textOf(info["arguments"]));
  line("imported", textOf(info["imported"]));
  line("mesh", textOf(info["mesh"]));
  line("backend", textOf(info["backend"]));
  line("masking", textOf(info["masking"]));
  line("planner", textOf(info["planner"]));
  line("emulates", textOf(info["emulate"]));
  line("hosted", "ranks " + textOf(info["hosted"]));
  if (journal.isMerged()) line("clocks", view::clocksText(journal));
  printRoles(journal, roles, divergences);
  if (!info["lost"].empty()) line("lost", view::ranksLabel(info["lost"].get<std::vector<int>>()));
  const int steps = info["steps"].get<int>();
  line("events", fmt::format("{}{}, {}", info["events"].get<EventId>(),
                             steps == 0 ? "" : " of " + view::plural(steps, "step"),
                             info["later"].get<bool>()   ? "later steps follow"
                             : info["grows"].get<bool>() ? "run in progress"
                                                         : "run ended"));
  for (const auto& [kind, count] : info["kinds"].items()) {
    line("", fmt::format("{:>12}  {}", count.get<std::int64_t>(), kind));
  }
  if (!info["operators"].is_null()) {
    const auto observed = textOf(info["operators"]);
    line("operators", observed.empty() ? "recorded in no step"
                                       : "recorded in steps " + view::truncated(observed));
  }
  line("tensors", std::to_string(info["tensors"].get<TensorId>()));
  line("values", std::to_string(info["values"].get<std::size_t>()));
  line("lookups", fmt::format("{} hits, {} misses", info["hits"].get<std::int64_t>(),
                              info["misses"].get<std::int64_t>()));
  line("traffic", byteCountText(info["bytes"].get<std::int64_t>()) + " sent");
  line("duration", view::durationText(info["duration"].get<std::int64_t>()));
  const auto waited = info["waited"].get<std::int64_t>();
  if (waited > 0) line("waited", view::durationText(waited) + " for the disk");
  line("error", problemText(info["error"]));
  line("difference", problemText(info["difference"]));
  const char* limits = "limits";
  for (const auto& limit : info["limits"]) {
    line(std::exchange(limits, ""), limit.get<std::string>());
  }
  const char* heading = "bookmarks";
  for (const auto& mark : info["bookmarks"]) {
    line(std::exchange(heading, ""), bookmarkText(mark));
  }
}

int info(const InfoOptions& options) {
  if (options.totals) return runTotals(options.files, options.output);
  const auto reader = openWhole(options.files, options.steps);
  if (!reader) return unusable(reader.error().message);
  const Journal& journal = (*reader)->journal();
  const auto roles = programRoles(journal);
  const auto parted = divergences(journal);
  const auto info = infoJson(**reader, roles, parted);
  if (options.output == Output::Json) {
    printJson(info);
  } else {
    printInfo(info, journal, roles, parted);
  }
  return finishAnswer(**reader, kAllRan);
}

}  // namespace

void addInfo(CommandLine& line) {
  const auto options = std::make_shared<InfoOptions>();
  CLI::App& command =
      line.add("info", "Show the properties of a recording and the totals of its events",
               [options] { return info(*options); });
  addRecording(command, options->files);
  addJson(command, options->output, "Print one JSON object");
  CLI::Option* steps = addSteps(command, options->steps, kStepsHelp);
  command
      .add_flag("--totals", options->totals,
                "Add up the totals of each process, without joining their events")
      ->excludes(steps);
  command.footer(kOnInfo);
}

}  // namespace shardlens::cli
