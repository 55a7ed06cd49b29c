#include "app/cli/commands.h"
#include "app/cli/ink.h"
#include "app/cli/output.h"
#include "core/base/json_text.h"
#include "core/query/problems.h"
#include "core/trace/merge/trace_reader.h"
#include "core/view/units.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <iostream>

namespace shardlens::cli {

namespace {

const char* severityText(const Problem& problem) {
  return problem.severity == Problem::Severity::Error ? "error" : "warning";
}

void printWords(const Journal& journal, const Problem& problem, const Ink& ink) {
  const bool isError = problem.severity == Problem::Severity::Error;
  const std::string severity = severityText(problem);
  std::string text = (isError ? ink.alarm(severity) : ink.notice(severity)) + ": " +
                     problem.sentence + ink.dim(" [" + problem.rule + "]") + "\n";
  if (!problem.events.empty()) {
    const EventId first = problem.events.front();
    const Event event = journal.at(first);
    text += fmt::format("  event {}, step {}, line {}", first, event.step, event.line);
    if (problem.times > 1)
      text += fmt::format(", {} in all", view::timesText(static_cast<std::int64_t>(problem.times)));
    text += "\n";
  }
  std::cout << text << "  " << problem.advice << "\n";
}

void printObject(const Problem& problem) {
  const nlohmann::ordered_json object = {
      {"rule", problem.rule},         {"severity", severityText(problem)},
      {"sentence", problem.sentence}, {"advice", problem.advice},
      {"times", problem.times},       {"events", problem.events}};
  std::cout << jsonText(object) << '\n';
}

}  // namespace

int problems(const ProblemsOptions& options) {
  const auto reader = TraceReader::open(options.files);
  if (!reader) return unusable(reader.error().message);
  while ((*reader)->settle()) continue;
  const Journal& journal = (*reader)->journal();
  const auto found = findProblems(journal);
  const Ink ink = Ink::forTerminal();
  for (const Problem& problem : found) {
    if (options.output == Output::Json) {
      printObject(problem);
    } else {
      printWords(journal, problem, ink);
    }
  }
  if (found.empty() && options.output == Output::Words) std::cout << "no problems\n";
  const bool leftOut = sayLeftOut((*reader)->leftOut());
  return finishOutput(found.empty() && !leftOut ? kAllRan : kRefused);
}

}  // namespace shardlens::cli
