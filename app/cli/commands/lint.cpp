#include "app/cli/commands.h"
#include "app/cli/problem_words.h"
#include "app/cli/recording_answer.h"
#include "core/query/problems/expectations.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>

namespace shardlens::cli {
namespace {

constexpr auto kOnLinting =
    "A file of expectations has one per line: the number of events and a query (see shardlens "
    "query),\n"
    "optionally per step, module or process group.\n"
    "  # the communication that this model may have\n"
    "  no implicit kind:redistribute module:layers.3\n"
    "  at most 2 kind:collective name:all_reduce per module\n"
    "  exactly 1 kind:collective name:all_gather per step\n"
    "  at least 1 cache:hit\n"
    "\n"
    "Exit codes: 0 as expected, 1 not, or a file of the folder was left out, 2 the\n"
    "command line or a file is wrong.";

struct LintOptions {
  std::vector<std::filesystem::path> files;  // recordings or folders of one run
  std::vector<RankRange> steps;              // indexes; empty: all
  std::optional<std::filesystem::path> expectations;
  std::vector<std::string> allowed;  // rules that are no errors
  Output output = Output::Words;
};

Result<std::vector<Expectation>> readExpectations(const std::filesystem::path& path) {
  std::error_code failed;
  if (std::filesystem::is_directory(path, failed)) {
    return fail(path.string() + ": got a folder, expected a file of expectations");
  }
  std::ifstream file(path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file) return fail(path.string() + " cannot be read");
  auto expectations = parseExpectations(text);
  if (!expectations) return fail(path.string() + ": " + expectations.error().message);
  return expectations;
}

Problem problemOf(const Unmet& unmet) {
  const std::string where = unmet.where.empty() ? "" : unmet.where + ": ";
  return {.rule = "expectation",
          .severity = Problem::Severity::Error,
          .sentence = fmt::format("{}got {}, expected {} (line {})", where, unmet.count,
                                  unmet.expectation->text, unmet.expectation->line),
          .advice = {},
          .events = unmet.events,
          .times = static_cast<std::size_t>(unmet.count)};
}

// Returns an error for the first name that is no rule, or an empty string.
std::string unknownRule(const std::vector<std::string>& allowed) {
  const auto rules = problemRules();
  for (const auto& name : allowed) {
    if (std::find(rules.begin(), rules.end(), name) != rules.end()) continue;
    std::string known;
    for (const auto& rule : rules) known += (known.empty() ? "" : ", ") + rule;
    return "--allow: got " + name + ", expected " + known;
  }
  return {};
}

int lint(const LintOptions& options) {
  if (const auto unknown = unknownRule(options.allowed); !unknown.empty()) return unusable(unknown);
  std::vector<Expectation> expectations;
  if (options.expectations) {
    auto read = readExpectations(*options.expectations);
    if (!read) return unusable(read.error().message);
    expectations = std::move(*read);
  }
  const auto reader = openWhole(options.files, options.steps);
  if (!reader) return unusable(reader.error().message);
  const Journal& journal = (*reader)->journal();
  auto found = findProblems(**reader);
  std::erase_if(found, [&](const Problem& problem) {
    return std::find(options.allowed.begin(), options.allowed.end(), problem.rule) !=
           options.allowed.end();
  });
  for (Problem& problem : found) problem.severity = Problem::Severity::Error;
  for (const Unmet& unmet : findUnmet(journal, expectations)) found.push_back(problemOf(unmet));
  printProblems(journal, found, options.output);
  return finishAnswer(**reader, found.empty() ? kAllRan : kRefused);
}

}  // namespace

void addLint(CommandLine& line) {
  const auto options = std::make_shared<LintOptions>();
  CLI::App& command =
      line.add("lint", "Fail if a recording has problems or does not meet expectations",
               [options] { return lint(*options); });
  addRecording(command, options->files);
  addSteps(command, options->steps, kStepsHelp);
  command.add_option("--expect", options->expectations, "A file of expectations; see below")
      ->type_name("FILE");
  command
      .add_option("--allow", options->allowed,
                  "A rule of shardlens problems to ignore; may be repeated")
      ->type_name("RULE")
      ->allow_extra_args(false);
  addJson(command, options->output, "Print one JSON object per problem");
  command.footer(kOnLinting);
}

}  // namespace shardlens::cli
