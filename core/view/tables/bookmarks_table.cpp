#include "core/view/tables/bookmarks_table.h"

#include "core/model/step_number.h"
#include "core/view/words/event_words.h"

#include <algorithm>
#include <functional>
#include <memory>

namespace shardlens::view {
namespace {

using Marks = std::vector<std::pair<EventId, std::string>>;

Row rowOf(const Journal& journal, EventId id, const std::string& note, Notation notation) {
  const Event event = journal.at(id);
  const EventWords words = eventWords(journal, id, notation);
  std::string tooltip = words.note.empty() ? words.title : words.title + "  " + words.note;
  if (event.step >= 0) tooltip += "\nstep " + std::to_string(stepNumber(event.step));
  return {.cells = {{.text = std::to_string(id), .number = id}, {words.title}, {note}},
          .tooltip = note.empty() ? tooltip : note + "\n" + tooltip,
          .event = id};
}

// Includes every bookmark, because there are few.
std::vector<std::uint64_t> versionOf(const Journal& journal, const Marks& marks,
                                     Notation notation) {
  std::vector<std::uint64_t> version{reinterpret_cast<std::uintptr_t>(&journal),
                                     static_cast<std::uint64_t>(notation)};
  for (const auto& [id, note] : marks) {
    version.push_back(id);
    version.push_back(std::hash<std::string>()(note));
  }
  return version;
}

}  // namespace

Table bookmarksTable(const Journal& journal, EventId position, Notation notation) {
  const auto& all = journal.bookmarks();
  const auto marks = std::make_shared<const Marks>(all.begin(), all.upper_bound(journal.size()));
  const auto at = std::find_if(marks->begin(), marks->end(),
                               [&](const auto& mark) { return mark.first == position; });
  const auto place = static_cast<std::size_t>(at - marks->begin());
  return {.columns = {{"event", Align::Right}, {.title = "what", .beginsAlike = true}, {"note"}},
          .rows = Rows(Rows::Source{
              .size = marks->size(),
              .at =
                  [&journal, marks, notation](std::size_t row) {
                    return rowOf(journal, (*marks)[row].first, (*marks)[row].second, notation);
                  },
              .marked = at == marks->end() ? std::nullopt : std::optional(place),
              .version = versionOf(journal, *marks, notation)})};
}

std::optional<std::string> bookmarkText(const Journal& journal, EventId id) {
  const auto mark = journal.bookmarks().find(id);
  if (mark == journal.bookmarks().end()) return std::nullopt;
  return mark->second.empty() ? "bookmark" : "note: " + mark->second;
}

}  // namespace shardlens::view
