#include "app/cli/command_line.h"

#include "app/cli/ink.h"
#include "app/cli/installed_files.h"
#include "core/model/rank_selector.h"
#include "core/model/step_number.h"
#include "core/model/step_ranges.h"
#include "shardlens_build.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <optional>
#include <span>
#include <string_view>

namespace shardlens::cli {
namespace {

constexpr auto kAbout =
    "Shardlens runs a placement program on ranks, records every step, and lets you step through\n"
    "the recording.";
constexpr auto kHint = "\nRun with --help for more information.";

// Returns "a, b or c".
std::string alternatives(std::span<const std::string> words) {
  if (words.size() == 1) return words.front();
  return fmt::format("{} or {}", fmt::join(words.first(words.size() - 1), ", "), words.back());
}

std::string versionText() {
  std::string text = "shardlens " + std::string(kVersion);
  text += "\ntorch " + std::string(kTorchVersion);
  text += "\nCUDA  " + std::string(kCudaSummary);
  text += "\nNCCL  " + std::string(kNcclSummary);
  return text;
}

std::string footer() {
  std::string text = "Options and examples of a command: shardlens COMMAND --help\n";
  if (const auto path = scenarioDocument(); !path.empty()) {
    text += "Scenario files are described in " + path.string() + "\n";
  }
  if (const auto path = recordingDocument(); !path.empty()) {
    text += "Recordings are described in " + path.string() + "\n";
  }
  return text +
         "\n"
         "Exit codes: 0 success, 1 a negative result (a step was refused, a problem was found, "
         "nothing\n"
         "matched: see the command), 2 the command line or a file is wrong.";
}

bool requestsJson(int argc, char** argv) {
  return std::any_of(argv, argv + argc,
                     [](const char* word) { return std::string_view(word) == "--json"; });
}

Colours coloursNamed(std::string_view word) {
  if (word == "auto") return Colours::Auto;
  return word == "always" ? Colours::Always : Colours::Never;
}

std::string refuseCapture(const std::string& rule) {
  const auto parsed = parseCaptureRule(rule);
  return parsed ? std::string() : parsed.error().message;
}

void addColor(CLI::App& command) {
  command
      .add_option_function<std::string>(
          "--color", [](const std::string& word) { setColours(coloursNamed(word)); },
          "When to use colours; auto (default): on a terminal")
      ->type_name("WHEN")
      ->check(oneOf({"auto", "always", "never"}));
}

}  // namespace

CommandLine::CommandLine() : app_(kAbout, "shardlens") {
  app_.footer([] { return footer(); });
  app_.set_version_flag("--version", versionText());
}

CLI::App& CommandLine::add(const std::string& name, const std::string& about, Action action) {
  CLI::App& command = *app_.add_subcommand(name, about);
  addColor(command);
  commands_.emplace_back(&command, std::move(action));
  return command;
}

CLI::App& CommandLine::addHidden(const std::string& name, Action action) {
  CLI::App& command = *app_.add_subcommand(name)->group("");
  commands_.emplace_back(&command, std::move(action));
  return command;
}

int CommandLine::run(int argc, char** argv) {
  if (requestsJson(argc, argv)) setErrorOutput(Output::Json);
  try {
    app_.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app_.exit(error);
    return unusable(messageOf(error));
  }
  for (const auto& [command, action] : commands_) {
    if (*command) return action();
  }
  std::cout << app_.help();
  return kAllRan;
}

std::string CommandLine::commandNames() const {
  std::vector<std::string> names;
  for (const auto* command : app_.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) names.push_back(command->get_name());
  }
  return alternatives(names);
}

std::string CommandLine::messageOf(const CLI::ParseError& error) const {
  const auto left = app_.remaining();
  const bool isUnknown =
      app_.get_subcommands().empty() && !left.empty() && !left.front().starts_with('-');
  const std::string what =
      isUnknown ? "got " + left.front() + ", expected " + commandNames() : error.what();
  return what + kHint;
}

CLI::Validator oneOf(const std::vector<std::string>& words) {
  const auto refuse = [words](const std::string& got) {
    const bool isOne = std::find(words.begin(), words.end(), got) != words.end();
    return isOne ? std::string() : "got " + got + ", expected " + alternatives(words);
  };
  return CLI::Validator(refuse, fmt::format("{{{}}}", fmt::join(words, ",")), "");
}

void addJson(CLI::App& command, Output& output, const std::string& help) {
  command.add_flag_callback(
      "--json", [&output] { output = Output::Json; }, help);
}

void addRecording(CLI::App& command, std::vector<std::filesystem::path>& files) {
  command
      .add_option(
          "PATH", files,
          "A recording, or the recordings of a run's processes or their folder, read as one")
      ->required();
}

void addStep(CLI::App& command, std::optional<int>& index, const std::string& help) {
  const auto refuse = [](const std::string& text) {
    int number = 0;
    return CLI::detail::lexical_cast(text, number) && number > 0
               ? ""
               : "got " + text + ", expected the number of a step, from 1";
  };
  command
      .add_option_function<int>(
          "--step", [&index](int number) { index = stepIndex(number); }, help)
      ->type_name("N")
      ->check(CLI::Validator(refuse, "", "step"));
}

void addRanks(CLI::App& command, std::string& ranks, const std::string& help) {
  command.add_option("--ranks,--rank", ranks, help + ": \"0-3,8\", or \"pp=2 dp=1,3\" by axes")
      ->type_name("RANKS")
      ->check(CLI::Validator(
          [](const std::string& text) {
            const auto parsed = parseRankSelector(text);
            return parsed ? std::string() : parsed.error().message;
          },
          "", "ranks"));
}

std::string refusedSteps(const std::string& text) {
  return parseSteps(text) ? "" : "got " + text + ", expected steps from 1, for example 3-5,8";
}

CLI::Option* addSteps(CLI::App& command, std::vector<RankRange>& steps, const std::string& help) {
  return command
      .add_option_function<std::string>(
          "--steps", [&steps](const std::string& text) { steps = stepIndexes(text); }, help)
      ->type_name("N")
      ->check(CLI::Validator(refusedSteps, "", "steps"));
}

void addNotation(CLI::App& command, view::Notation& notation) {
  const auto nameOf = [](view::Notation notation) {
    return std::string(view::notationName(notation));
  };
  command
      .add_option_function<std::string>(
          "--notation",
          [&notation](const std::string& name) { notation = view::parseNotation(name).value(); },
          "Notation of placements: dtensor (default): (S(0), R); axes: dp:S(0) tp:R; jax: P('dp', "
          "None), with unreduced={'tp': max} for partial values other than plain sums, and "
          "strided('dp', 3) for strided shards that no order of axes gives")
      ->type_name("NAME")
      ->check(oneOf({nameOf(view::Notation::DTensor), nameOf(view::Notation::NamedAxes),
                     nameOf(view::Notation::PartitionSpec)}));
}

void addTopology(CLI::App& command, std::optional<std::filesystem::path>& file) {
  command
      .add_option("--topology", file,
                  "Speed of links and collectives, by which plans are chosen (plan --help)")
      ->type_name("FILE");
}

CLI::Option* addValues(CLI::App& command, Capture& values, const std::string& help) {
  return command
      .add_option_function<std::vector<std::string>>(
          "--values",
          [&values](const std::vector<std::string>& rules) {
            values = parseCapture(rules).value();
          },
          help +
              ": none, stats, hashes, or all (default; hashes for shards above 64 KiB). For a part "
              "of "
              "them: "
              "all:step=3-5:rank=0,2:tensor=y. May be repeated: the last rule that matches "
              "applies; without a match, none")
      ->type_name("LEVEL[:CONDITION]...")
      ->allow_extra_args(false)
      ->check(CLI::Validator(refuseCapture, "", "values"));
}

void addTokenFile(CLI::App& command, std::optional<std::filesystem::path>& file,
                  const std::string& help) {
  command.add_option("--token-file", file, help + "; must be readable by its owner only")
      ->type_name("FILE");
}

}  // namespace shardlens::cli
