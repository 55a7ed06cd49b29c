#include "core/query/history/element_words.h"

#include "core/view/words/event_words.h"
#include "core/view/words/units.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

namespace shardlens {
namespace {

view::Row rowOf(const Journal& journal, const ElementEvent& what, const Shape& index,
                view::Notation notation) {
  const auto words = view::eventWords(journal, what.event, notation);
  const std::string places = placesText(placesAfter(journal, what, index));
  return {.cells = {{.text = std::to_string(what.event), .number = what.event},
                    {.text = std::string(wordOf(what.what))},
                    {.text = words.title},
                    {.text = places}},
          .tooltip = places.empty() ? words.title : words.title + "\n" + places,
          .event = what.event};
}

}  // namespace

std::vector<ElementPlace> placesAfter(const Journal& journal, const ElementEvent& what,
                                      const Shape& index) {
  const EventKind kind = journal.at(what.event).kind;
  const bool hasValues = kind == EventKind::Result || kind == EventKind::MaskApplied;
  return hasValues ? elementPlaces(journal, {what.tensor, index}, what.event)
                   : std::vector<ElementPlace>();
}

std::string placesText(const std::vector<ElementPlace>& places) {
  std::map<std::string, std::vector<int>> ranks;
  std::vector<std::string> order;
  for (const ElementPlace& place : places) {
    const auto what =
        fmt::format("{}{} at {} of ", place.value.empty() ? "not captured" : place.value,
                    place.isMasked ? " (masked)" : "", toText(place.index));
    auto& of = ranks[what];
    if (of.empty()) order.push_back(what);
    of.push_back(place.rank);
  }
  std::string text;
  for (const auto& what : order) {
    text += (text.empty() ? "" : "; ") + what + view::ranksLabel(ranks[what]);
  }
  return text;
}

view::Table elementHistoryTable(const Journal& journal, const std::vector<ElementEvent>& events,
                                const Shape& index, EventId position, view::Notation notation) {
  const auto after =
      std::upper_bound(events.begin(), events.end(), position,
                       [](EventId key, const ElementEvent& what) { return key < what.event; });
  std::optional<std::size_t> marked;
  if (after != events.begin()) marked = static_cast<std::size_t>(after - events.begin() - 1);
  view::Rows::Source source{
      .size = events.size(),
      .at = [&journal, &events, index, notation](
                std::size_t place) { return rowOf(journal, events[place], index, notation); },
      .marked = marked,
      .version = {events.size(), marked.value_or(events.size()),
                  static_cast<std::uint64_t>(notation)}};
  for (const auto at : index) source.version.push_back(static_cast<std::uint64_t>(at));
  source.version.push_back(events.empty() ? 0 : events.front().tensor);
  return {.columns = {{.title = "event", .align = view::Align::Right},
                      {.title = "what"},
                      {.title = "by"},
                      {.title = "values"}},
          .rows = view::Rows(std::move(source))};
}

}  // namespace shardlens
