#include "core/query/problems/problems_table.h"

#include "core/model/byte_count.h"
#include "core/view/words/units.h"

#include <algorithm>

namespace shardlens {
namespace {

view::Row rowOf(const Problem& problem) {
  const bool isError = problem.severity == Problem::Severity::Error;
  const EventId first = problem.events.empty() ? 0 : problem.events.front();
  const std::string severity(severityText(problem));
  return {.cells = {{.text = severity,
                     .tone = isError ? view::Tone::Bad : view::Tone::Warn,
                     .icon = severity},
                    {.text = problem.sentence, .below = whereText(problem)},
                    {.text = std::to_string(problem.times),
                     .number = static_cast<double>(problem.times)},
                    {.text = first == 0 ? "" : std::to_string(first), .number = first}},
          .tooltip = problem.sentence + "\n" + whereText(problem) +
                     (problem.advice.empty() ? "" : "\n" + problem.advice),
          .event = first};
}

}  // namespace

std::string whereText(const Problem& problem) {
  std::string text;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : " · ") + part;
  };
  add(problem.place);
  add(problem.module);
  if (problem.bytes > 0) add(byteCountText(problem.bytes));
  if (problem.times > 1) add(view::timesText(static_cast<std::int64_t>(problem.times)));
  add(problem.cause);
  if (!problem.consequences.empty()) add("then " + problem.consequences);
  return text;
}

std::string_view severityText(const Problem& problem) {
  return problem.severity == Problem::Severity::Error ? "error" : "warning";
}

view::Table problemsTable(const Problems& problems, EventId position) {
  const auto isAt = [position](const Problem& problem) {
    return std::binary_search(problem.events.begin(), problem.events.end(), position);
  };
  const auto at = std::find_if(problems->begin(), problems->end(), isAt);
  const auto place = static_cast<std::size_t>(at - problems->begin());
  return {.columns = {{"severity"},
                      {.title = "what", .beginsAlike = true},
                      {"times", view::Align::Right},
                      {"event", view::Align::Right}},
          .rows = view::Rows(view::Rows::Source{
              .size = problems->size(),
              .at = [problems](std::size_t row) { return rowOf((*problems)[row]); },
              .marked = at == problems->end() ? std::nullopt : std::optional(place),
              .version = {reinterpret_cast<std::uintptr_t>(problems.get())}})};
}

}  // namespace shardlens
