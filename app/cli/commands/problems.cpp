#include "app/cli/commands.h"
#include "app/cli/ink.h"
#include "app/cli/output.h"
#include "app/cli/problem_words.h"
#include "core/base/json_text.h"
#include "core/query/expectations.h"
#include "core/query/problems.h"
#include "core/trace/merge/trace_reader.h"
#include "core/view/units.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>

namespace shardlens::cli {

namespace {

void print(const Journal& journal, const std::vector<Problem>& found, Output output) {
  const Ink ink = Ink::forTerminal();
  for (const Problem& problem : found) {
    if (output == Output::Json) {
      std::cout << jsonText(problemJson(problem)) << '\n';
    } else {
      std::cout << problemText(journal, problem, ink);
    }
  }
  if (found.empty() && output == Output::Words) std::cout << "no problems\n";
}

int printed(const TraceReader& reader, const std::vector<Problem>& found, Output output) {
  print(reader.journal(), found, output);
  const bool leftOut = sayLeftOut(reader.leftOut());
  return finishOutput(found.empty() && !leftOut ? kAllRan : kRefused);
}

Result<std::vector<Expectation>> readExpectations(const std::filesystem::path& path) {
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

// Empty where all of them are rules.
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

}  // namespace

int problems(const ProblemsOptions& options) {
  const auto reader = TraceReader::open(options.files);
  if (!reader) return unusable(reader.error().message);
  while ((*reader)->settle()) continue;
  return printed(**reader, findProblems((*reader)->journal()), options.output);
}

int lint(const LintOptions& options) {
  if (const auto unknown = unknownRule(options.allowed); !unknown.empty()) return unusable(unknown);
  std::vector<Expectation> expectations;
  if (options.expectations) {
    auto read = readExpectations(*options.expectations);
    if (!read) return unusable(read.error().message);
    expectations = std::move(*read);
  }
  const auto reader = TraceReader::open(options.files);
  if (!reader) return unusable(reader.error().message);
  while ((*reader)->settle()) continue;
  const Journal& journal = (*reader)->journal();
  auto found = findProblems(journal);
  std::erase_if(found, [&](const Problem& problem) {
    return std::find(options.allowed.begin(), options.allowed.end(), problem.rule) !=
           options.allowed.end();
  });
  for (Problem& problem : found) problem.severity = Problem::Severity::Error;
  for (const Unmet& unmet : findUnmet(journal, expectations)) found.push_back(problemOf(unmet));
  return printed(**reader, found, options.output);
}

}  // namespace shardlens::cli
