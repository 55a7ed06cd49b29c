#include "core/exports/step_markdown.h"

#include "core/exports/step_events.h"
#include "core/model/byte_count.h"
#include "core/model/step_number.h"
#include "core/view/tables/markdown.h"
#include "core/view/tables/plan_table.h"
#include "core/view/words/detail_words.h"
#include "core/view/words/event_sentences.h"
#include "core/view/words/event_words.h"
#include "core/view/words/local_shapes.h"
#include "core/view/words/names.h"
#include "core/view/words/place_text.h"
#include "core/view/words/units.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

namespace shardlens {
namespace {

constexpr std::size_t kMostItems = view::MarkdownTable::kMostRows;

using view::MarkdownTable;
using view::plain;

// Formats text as a code span on one line. The fence is longer than any run of backticks in the
// text.
std::string code(std::string_view text) {
  std::string shown = view::truncated(text);
  std::replace(shown.begin(), shown.end(), '\n', ' ');
  std::replace(shown.begin(), shown.end(), '\r', ' ');
  std::string fence = "`";
  while (shown.find(fence) != std::string::npos) fence += '`';
  const char* space = fence.size() > 1 ? " " : "";
  return fence + space + shown + space + fence;
}

// As code(), but escapes '|', which would end the table cell.
std::string codeCell(std::string_view text) {
  std::string shown = code(text);
  for (std::size_t at = 0; (at = shown.find('|', at)) != std::string::npos; at += 2) {
    shown.insert(at, 1, '\\');
  }
  return shown;
}

std::string sentence(const view::StyledText& text) {
  std::string shown;
  for (const auto& span : text.spans) shown += plain(span.text);
  return shown;
}

std::string headText(const Journal& journal, const StepEvents& events,
                     const view::EventSentences& sentences) {
  const Event event = journal.at(events.first);
  std::string where(journal.meta("title"));
  const auto add = [&](const std::string& text) { where += (where.empty() ? "" : ", ") + text; };
  if (const auto place = view::placeText(journal, event); !place.empty()) add(place);
  if (sentences.mesh()) add("mesh " + view::axesText(*sentences.mesh()));
  for (const char* key : {"backend", "masking", "planner"}) {
    if (!journal.meta(key).empty()) add(fmt::format("{} {}", key, journal.meta(key)));
  }
  return fmt::format("### Step {}: {}\n\n{}\n\n", stepNumber(events.step),
                     code(journal.name(event)), plain(where));
}

std::string tensorsText(const Journal& journal, const StepEvents& events, view::Notation notation) {
  MarkdownTable table({{"tensor"}, {""}, {"whole"}, {"placements"}, {"ranks hold"}});
  const auto add = [&](TensorId id, const char* role) {
    const TensorRecord tensor = journal.tensor(id);
    table.add(
        {codeCell(view::tensorName(journal, id)), role, codeCell(view::tensorText(tensor)),
         tensor.placements.empty() ? "" : codeCell(view::placedText(journal, tensor, notation)),
         plain(view::localShapesText(journal, id))});
  };
  const StepTensors tensors = stepTensors(journal, events);
  for (const TensorId id : tensors.read) add(id, "in");
  for (const TensorId id : tensors.made) add(id, "out");
  return table.empty() ? "" : table.text();
}

// Lists the operators and redistributions of the step, with their cache lookups and candidates
// indented below.
std::string decisionsText(const Journal& journal, const StepEvents& events,
                          const view::EventSentences& sentences) {
  std::string text;
  std::size_t count = 0;
  for (EventId id = events.first; id <= events.last; ++id) {
    const EventKind kind = journal.at(id).kind;
    const bool isDecided = kind == EventKind::Operator || kind == EventKind::CacheLookup ||
                           kind == EventKind::Candidates || kind == EventKind::Redistribute;
    if (!isDecided || ++count > kMostItems) continue;
    const bool isOf = kind == EventKind::CacheLookup || kind == EventKind::Candidates;
    text += std::string(isOf ? "  - " : "- ") + sentence(sentences.text(id)) + "\n";
  }
  if (count > kMostItems) text += fmt::format("- and {} more\n", count - kMostItems);
  return text.empty() ? "" : "**Decisions**\n\n" + text + "\n";
}

// Returns the last event of the redistribution that contains this plan or plan lookup.
EventId endOfPlanned(const Journal& journal, EventId plan, EventId last) {
  const EventId redistribution = journal.at(plan).parent;
  EventId end = plan;
  while (redistribution != 0 && end < last && journal.at(end + 1).parent >= redistribution) ++end;
  return end;
}

std::string planText(const Journal& journal, EventId end, view::Notation notation) {
  const view::PlanTable plan = view::planTable(journal, end, end, notation);
  if (plan.plan.steps.empty()) return {};
  std::string heading = "**Plan**";
  if (!plan.title.empty()) heading += " " + code(plan.title);
  if (!plan.summary.empty()) heading += ", " + plain(plan.summary);
  return heading + "\n\n" + view::tableMarkdown(plan.table);
}

// Formats the plan of every redistribution, including cached plans.
std::string plansText(const Journal& journal, const StepEvents& events, view::Notation notation) {
  std::string text;
  std::size_t count = 0;
  for (EventId id = events.first; id <= events.last; ++id) {
    const Event event = journal.at(id);
    const bool isCachedPlan = event.kind == EventKind::CacheLookup &&
                              event.verdict == Verdict::Hit && event.cache() == CacheTable::Plan;
    if (event.kind != EventKind::Plan && !isCachedPlan) continue;
    if (++count <= kMostItems)
      text += planText(journal, endOfPlanned(journal, id, events.last), notation);
  }
  return count > kMostItems ? text + fmt::format("and {} more plans\n\n", count - kMostItems)
                            : text;
}

std::string collectivesText(const Journal& journal, const StepEvents& events) {
  MarkdownTable table(
      {{"collective"}, {"ranks"}, {"sent", view::Align::Right}, {"took", view::Align::Right}});
  for (EventId id = events.first; id <= events.last; ++id) {
    const Event event = journal.at(id);
    if (event.kind != EventKind::Collective) continue;
    table.add({plain(view::collectiveText(journal, event)),
               plain(view::groupsText(journal.text(event.ranks))), byteCountText(event.bytes),
               view::durationText(event.duration)});
  }
  return table.empty() ? "Nothing was sent.\n" : "**Collectives**\n\n" + table.text();
}

std::string errorsText(const Journal& journal, const StepEvents& events) {
  std::string text;
  for (EventId id = events.first; id <= events.last; ++id) {
    const Event event = journal.at(id);
    if (event.kind == EventKind::Error) text += "**Error** " + code(journal.name(event)) + "\n\n";
  }
  return text;
}

// Lists the bookmarks at events of the step, with their notes.
std::string bookmarksText(const Journal& journal, const StepEvents& events,
                          view::Notation notation) {
  const auto& all = journal.bookmarks();
  std::string text;
  const auto end = all.upper_bound(events.last);
  for (auto mark = all.lower_bound(events.first); mark != end; ++mark) {
    text += fmt::format("- event {}, {}", mark->first,
                        plain(view::eventWords(journal, mark->first, notation).title));
    text += mark->second.empty() ? "\n" : ": " + plain(mark->second) + "\n";
  }
  return text.empty() ? "" : "**Bookmarks**\n\n" + text + "\n";
}

}  // namespace

Result<std::string> stepMarkdown(const Journal& journal, int step, view::Notation notation) {
  return stepEvents(journal, step).map([&](const StepEvents& events) {
    const view::EventSentences sentences(journal, notation);
    return headText(journal, events, sentences) + errorsText(journal, events) +
           bookmarksText(journal, events, notation) + tensorsText(journal, events, notation) +
           decisionsText(journal, events, sentences) + plansText(journal, events, notation) +
           collectivesText(journal, events);
  });
}

}  // namespace shardlens
