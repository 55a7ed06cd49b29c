#include "core/query/history/tensor_uses_table.h"

#include "core/view/words/event_sentences.h"
#include "core/view/words/names.h"

#include <algorithm>
#include <utility>

namespace shardlens {
namespace {

view::Cell numberCell(std::uint64_t number) {
  return {.text = std::to_string(number), .number = static_cast<double>(number)};
}

view::Row tensorRow(const Journal& journal, const TensorUses& all, TensorId id,
                    view::Notation notation) {
  const TensorRecord tensor = journal.tensor(id);
  const auto& uses = all.of(id);
  const std::string placement = view::placedText(journal, tensor, notation);
  const std::string module = all.moduleOf(id);
  return {.cells = {{module, view::Tone::Quiet},
                    {std::string(view::truncated(tensor.name))},
                    {view::tensorText(tensor), view::Tone::Value},
                    {placement, view::Tone::Value},
                    numberCell(uses.front().event),
                    numberCell(uses.size()),
                    numberCell(uses.back().event)},
          .tooltip =
              module.empty() ? std::string(tensor.name) : std::string(tensor.name) + "\n" + module,
          .event = uses.front().event};
}

}  // namespace

view::Table tensorsTable(const Journal& journal, std::shared_ptr<const TensorUses> uses,
                         TensorId marked, view::Notation notation) {
  const auto& ids = uses->tensors();
  const auto place = std::find(ids.begin(), ids.end(), marked);
  view::Rows::Source source;
  source.size = ids.size();
  if (place != ids.end()) source.marked = static_cast<std::size_t>(place - ids.begin());
  source.version = {reinterpret_cast<std::uintptr_t>(uses.get()), uses->read(),
                    static_cast<std::uint64_t>(notation)};
  source.at = [&journal, uses, notation](std::size_t row) {
    return tensorRow(journal, *uses, uses->tensors()[row], notation);
  };
  return {.columns = {{"module"},
                      {"tensor"},
                      {"type"},
                      {"placement"},
                      {"made", view::Align::Right},
                      {"uses", view::Align::Right},
                      {"last use", view::Align::Right}},
          .rows = view::Rows(std::move(source))};
}

view::Table tensorUsesTable(const Journal& journal, std::shared_ptr<const TensorUses> uses,
                            TensorId tensor, EventId position, view::Notation notation) {
  const auto& all = uses->of(tensor);
  const auto next = std::ranges::upper_bound(all, position, {}, &TensorUse::event);
  view::Rows::Source source;
  source.size = all.size();
  if (next != all.begin()) source.marked = static_cast<std::size_t>(next - all.begin()) - 1;
  source.version = {reinterpret_cast<std::uintptr_t>(uses.get()), tensor,
                    static_cast<std::uint64_t>(notation)};
  const view::EventSentences sentences(journal, notation);
  source.at = [uses = std::move(uses), tensor, sentences](std::size_t row) -> view::Row {
    const auto& [event, what] = uses->of(tensor)[row];
    const std::string text = sentences.text(event).plain();
    return {.cells = {numberCell(event),
                      {std::string(wordOf(what)), view::Tone::Strong},
                      {std::string(view::truncated(text))}},
            .tooltip = text,
            .event = event};
  };
  return {.columns = {{"event", view::Align::Right}, {"use"}, {"what"}},
          .rows = view::Rows(std::move(source))};
}

}  // namespace shardlens
