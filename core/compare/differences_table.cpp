#include "core/compare/differences_table.h"

#include <memory>
#include <utility>

namespace shardlens {
namespace {

using view::Align;
using view::Cell;
using view::Row;
using view::Rows;
using view::Tone;

Cell placeCell(EventId event) {
  if (event == 0) return {.text = "nowhere", .tone = Tone::Quiet};
  return {.text = "event " + std::to_string(event), .number = event};
}

Row rowOf(const RunDifference& difference, bool isFirst) {
  const bool isOfTheRun = difference.left == 0 && difference.right == 0;
  const auto cellOf = [&](EventId event) { return isOfTheRun ? Cell{} : placeCell(event); };
  return {.cells = {{std::string(nameOf(difference.in))},
                    cellOf(difference.left),
                    cellOf(difference.right),
                    {.text = difference.sentence}},
          .tooltip = difference.sentence,
          .event = difference.left,
          .marked = isFirst};
}

}  // namespace

view::Table differencesTable(std::vector<RunDifference> differences) {
  const auto all = std::make_shared<const std::vector<RunDifference>>(std::move(differences));
  const auto at = [all](std::size_t place) { return rowOf((*all)[place], place == 0); };
  return {.columns = {{"in"}, {"A, here", Align::Right}, {"B", Align::Right}, {"difference"}},
          .rows = Rows(
              Rows::Source{.size = all->size(),
                           .at = at,
                           .marked = all->empty() ? std::nullopt : std::optional<std::size_t>(0),
                           .version = {reinterpret_cast<std::uintptr_t>(all.get()), all->size()}})};
}

}  // namespace shardlens
