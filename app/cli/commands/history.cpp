#include "app/cli/commands.h"
#include "app/cli/ink.h"
#include "app/cli/recording_answer.h"
#include "core/base/json_text.h"
#include "core/model/step_number.h"
#include "core/query/history/element_history.h"
#include "core/query/history/element_words.h"
#include "core/view/words/event_words.h"
#include "core/view/words/names.h"
#include "core/view/words/units.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>
#include <optional>

namespace shardlens::cli {
namespace {

constexpr auto kOnHistories =
    "The index is the one in the global tensor; redistributing keeps it. If several tensors have "
    "the\n"
    "name, the newest is meant, or that of --step.\n"
    "  shardlens history \"y[3, 1]\" run.shardlens\n"
    "\n"
    "Exit codes: 0 found, 1 a file of the folder was left out, 2 the command\n"
    "line, the element or a file is wrong.";

struct HistoryOptions {
  std::string element;
  std::vector<std::filesystem::path> files;  // recordings or folders of one run
  std::optional<int> step;
  view::Notation notation = view::Notation::DTensor;
  Output output = Output::Words;
};

using nlohmann::ordered_json;

std::string lineText(const Journal& journal, const ElementEvent& what, view::Notation notation,
                     const Ink& ink) {
  const Event event = journal.at(what.event);
  const auto words = view::eventWords(journal, what.event, notation);
  std::string place = fmt::format("event {:>4}", what.event);
  if (event.step >= 0) place += fmt::format(", step {}", stepNumber(event.step));
  return fmt::format("{}  {:<8}  {}{}\n", ink.dim(place), wordOf(what.what), ink.bold(words.title),
                     words.note.empty() ? "" : "  " + words.note);
}

ordered_json placesJson(const std::vector<ElementPlace>& places) {
  ordered_json all = ordered_json::array();
  for (const ElementPlace& place : places) {
    all.push_back({{"rank", place.rank},
                   {"index", place.index},
                   {"value", place.value.empty() ? ordered_json() : ordered_json(place.value)},
                   {"masked", place.isMasked}});
  }
  return all;
}

void print(const Journal& journal, const TensorElement& element, const HistoryOptions& options) {
  const Ink ink = Ink::forTerminal();
  const TensorRecord tensor = journal.tensor(element.tensor);
  if (options.output == Output::Words) {
    std::cout << ink.bold(tensor.name + toText(element.index)) << "  " << view::tensorText(tensor)
              << " " << view::placedText(journal, tensor, options.notation) << '\n';
  }
  for (const ElementEvent& what : elementHistory(journal, element.tensor)) {
    const Event event = journal.at(what.event);
    const auto places = placesAfter(journal, what, element.index);
    if (options.output == Output::Json) {
      std::cout << jsonText(ordered_json{
                       {"event", what.event},
                       {"step", stepNumber(event.step)},
                       {"what", wordOf(what.what)},
                       {"tensor", view::tensorName(journal, what.tensor)},
                       {"title", view::eventWords(journal, what.event, options.notation).title},
                       {"places", placesJson(places)}})
                << '\n';
      continue;
    }
    std::cout << lineText(journal, what, options.notation, ink);
    if (!places.empty()) std::cout << "    " << placesText(places) << '\n';
  }
}

int history(const HistoryOptions& options) {
  const auto reader = openWhole(options.files);
  if (!reader) return unusable(reader.error().message);
  const Journal& journal = (*reader)->journal();
  const auto element = findElement(journal, options.element, options.step);
  if (!element) return unusable(element.error().message);
  print(journal, *element, options);
  return finishAnswer(**reader, kAllRan);
}

}  // namespace

void addHistory(CommandLine& line) {
  const auto options = std::make_shared<HistoryOptions>();
  CLI::App& command = line.add(
      "history", "List the events that made, masked, reduced or moved one element of a tensor",
      [options] { return history(*options); });
  command.add_option("ELEMENT", options->element, "A tensor and an index, for example \"y[3, 1]\"")
      ->required();
  addRecording(command, options->files);
  addNotation(command, options->notation);
  addStep(command, options->step, "If several tensors have the name, that of this step");
  addJson(command, options->output, "Print one JSON object per event");
  command.footer(kOnHistories);
}

}  // namespace shardlens::cli
