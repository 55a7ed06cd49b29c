#include "app/cli/problem_words.h"

#include "app/cli/event_rows.h"
#include "app/cli/ink.h"
#include "core/base/json_text.h"
#include "core/model/step_number.h"
#include "core/query/problems/problems_table.h"
#include "core/view/words/run_again.h"
#include "core/view/words/units.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <iostream>
#include <utility>

namespace shardlens::cli {

std::string problemText(const Journal& journal, const Problem& problem, const Ink& ink) {
  const bool isError = problem.severity == Problem::Severity::Error;
  const std::string severity(severityText(problem));
  std::string text = (isError ? ink.alarm(severity) : ink.notice(severity)) + ": " +
                     problem.sentence + ink.dim(" [" + problem.rule + "]") + "\n";
  if (!problem.events.empty()) {
    const EventId first = problem.events.front();
    const Event event = journal.at(first);
    text += fmt::format("  event {}", journal.numberOf(first));
    if (event.step >= 0) text += fmt::format(", step {}", stepNumber(event.step));
    if (!problem.place.empty()) text += ", " + problem.place;
    if (!problem.module.empty()) text += ", " + problem.module;
    const auto times = static_cast<std::int64_t>(problem.times);
    text += times > 1 ? ", " + view::timesText(times) + " in all\n" : "\n";
  }
  if (!problem.cause.empty()) text += "  " + problem.cause + "\n";
  if (!problem.consequences.empty()) text += "  then " + problem.consequences + "\n";
  if (!problem.advice.empty()) text += "  " + problem.advice + "\n";
  const bool isScenario = view::whyNotRunAgain(journal).empty();
  if (isScenario && !problem.suspect.empty()) {
    text += ink.dim("  shardlens what-if FILE " + problem.suspect) + "\n";
  }
  return text;
}

nlohmann::ordered_json problemJson(const Journal& journal, const Problem& problem) {
  auto events = nlohmann::ordered_json::array();
  for (const EventId id : problem.events) events.push_back(eventNumber(journal, id));
  nlohmann::ordered_json json{{"rule", problem.rule},         {"severity", severityText(problem)},
                              {"sentence", problem.sentence}, {"advice", problem.advice},
                              {"times", problem.times},       {"events", std::move(events)}};
  if (problem.bytes > 0) json["bytes"] = problem.bytes;
  for (const auto& [key, text] : {std::pair{"place", &problem.place},
                                  {"module", &problem.module},
                                  {"cause", &problem.cause},
                                  {"consequences", &problem.consequences},
                                  {"suspect", &problem.suspect}}) {
    if (!text->empty()) json[key] = *text;
  }
  return json;
}

void printProblems(const Journal& journal, const std::vector<Problem>& found, Output output) {
  const Ink ink = Ink::forTerminal();
  for (const Problem& problem : found) {
    if (output == Output::Json) {
      std::cout << jsonText(problemJson(journal, problem)) << '\n';
    } else {
      std::cout << problemText(journal, problem, ink);
    }
  }
  if (found.empty() && output == Output::Words) std::cout << "no problems\n";
}

}  // namespace shardlens::cli
