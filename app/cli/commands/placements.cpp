#include "app/cli/commands.h"
#include "app/cli/ink.h"
#include "app/cli/recording_answer.h"
#include "app/cli/table_text.h"
#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/inference/inference.h"
#include "core/inference/tables.h"
#include "core/inference/words.h"
#include "core/loading/loaded_slices.h"
#include "core/model/ranks_text.h"
#include "core/view/words/place_text.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <memory>

namespace shardlens::cli {
namespace {

struct PlacementsOptions {
  std::vector<std::filesystem::path> files;         // recordings or folders of one run
  std::vector<std::string> axes;                    // as parseRankAxis() reads them
  std::string ledger;                               // a parameter, "all", or empty: no ledger
  std::optional<std::filesystem::path> checkpoint;  // to compare the parameters with
  Output output = Output::Words;
};

constexpr auto kOnInferred =
    "  shardlens placements DIR\n"
    "  shardlens placements DIR --axis 'tp=0,1|2,3' --axis 'dp=0,2|1,3'\n"
    "  shardlens placements DIR --ledger layers.0.weight\n"
    "  shardlens placements DIR --checkpoint step-1000\n"
    "\n"
    "Record the job with `record --plain --values all`. ? is unknown, ! is contradicted.\n"
    "\n"
    "Exit codes: 0 printed, 1 no plain tensors, a rank with other values than the checkpoint, or "
    "a\n"
    "file of the folder was left out, 2 the command line or a file is wrong.";

view::Table tableOf(const Journal& journal, const InferredPlacements& found) {
  view::Table table;
  table.columns = {{"tensor"}, {"role"}, {"local shape"}};
  for (const auto& axis : found.axes) table.columns.push_back({axis.name});
  table.columns.push_back({"inferred from"});
  std::vector<view::Row> rows;
  for (const auto& tensor : found.tensors) {
    view::Row row{.cells = {{nameText(tensor.name, tensor.ranks)},
                            {std::string(roleName(tensor.role))},
                            {toText(tensor.shape)}}};
    std::string evidence;
    for (std::size_t axis = 0; axis < tensor.placements.size(); ++axis) {
      const auto& inferred = tensor.placements[axis];
      row.cells.push_back({placementText(inferred)});
      const auto text = evidenceText(journal, found.axes[axis], inferred);
      if (text.empty()) continue;
      evidence += (evidence.empty() ? "" : "; ") + found.axes[axis].name + ": " + text;
    }
    row.cells.push_back({evidence});
    rows.push_back(std::move(row));
  }
  table.rows = std::move(rows);
  return table;
}

nlohmann::ordered_json stageOrNull(const std::vector<int>& ranks) {
  return ranks.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(ranksText({ranks}));
}

void printJsonRows(const Journal& journal, const InferredPlacements& found) {
  for (const auto& tensor : found.tensors) {
    nlohmann::ordered_json axes = nlohmann::ordered_json::array();
    for (std::size_t axis = 0; axis < tensor.placements.size(); ++axis) {
      const auto& inferred = tensor.placements[axis];
      nlohmann::ordered_json row{{"axis", found.axes[axis].name},
                                 {"groups", ranksText(found.axes[axis].groups)}};
      row["placement"] = inferred.placement ? nlohmann::ordered_json(toText(*inferred.placement))
                                            : nlohmann::ordered_json();
      row["type"] =
          inferred.type ? nlohmann::ordered_json(toText(*inferred.type)) : nlohmann::ordered_json();
      row["contradicted"] = inferred.isContradicted;
      row["evidence"] = evidenceName(inferred.evidence.kind);
      row["event"] = inferred.evidence.event;
      row["because"] = evidenceText(journal, found.axes[axis], inferred);
      axes.push_back(std::move(row));
    }
    printJson({{"tensor", tensor.name},
               {"ranks", stageOrNull(tensor.ranks)},
               {"role", roleName(tensor.role)},
               {"shape", tensor.shape},
               {"event", tensor.event},
               {"placements", std::move(axes)}});
  }
}

nlohmann::ordered_json jsonOf(const Journal& journal, const std::vector<RankAxis>& axes,
                              const LedgerEntry& entry) {
  nlohmann::ordered_json over = nlohmann::ordered_json::array();
  for (const auto axis : entry.axes) over.push_back(axes[axis].name);
  return {
      {"kind", entryName(entry.kind)},
      {"event", entry.event},
      {"what", entry.what},
      {"reduction", entry.reduction},
      {"axes", std::move(over)},
      {"groups", ranksText(entry.groups)},
      {"factor", entry.factor ? nlohmann::ordered_json(*entry.factor) : nlohmann::ordered_json()},
      {"then", placementsByAxis(axes, entry.placements)},
      {"at", view::placeText(journal, journal.at(entry.event))}};
}

void printLedger(const Journal& journal, const InferredPlacements& found,
                 const GradientLedger& ledger, Output output) {
  const auto summary = ledgerSummary(ledger, found.axes);
  if (output == Output::Json) {
    nlohmann::ordered_json entries = nlohmann::ordered_json::array();
    for (const auto& entry : ledger.entries) entries.push_back(jsonOf(journal, found.axes, entry));
    printJson({{"gradient", ledger.name},
               {"ranks", stageOrNull(ledger.ranks)},
               {"read", ledger.read},
               {"summary", summary},
               {"entries", std::move(entries)}});
    return;
  }
  std::cout << nameText(ledger.name, ledger.ranks) << (summary.empty() ? "" : ": " + summary)
            << '\n'
            << tableText(ledgerTable(journal, found.axes, ledger), Ink::forTerminal()) << '\n';
}

// Prints the ledgers of the last step that match. Returns false if none does.
bool printLedgers(const Journal& journal, const InferredPlacements& found,
                  const PlacementsOptions& options) {
  bool isAny = false;
  for (const auto& ledger : newestLedgers(found.ledgers)) {
    const bool isMatch = options.ledger == "all" || options.ledger == ledger.name ||
                         options.ledger + ".grad" == ledger.name;
    if (isMatch) printLedger(journal, found, ledger, options.output);
    isAny |= isMatch;
  }
  return isAny;
}

view::Table tableOf(const std::vector<RankAxis>& axes, const std::vector<LoadedTensor>& loaded) {
  view::Table table;
  table.columns = {{"tensor"}, {"in the checkpoint"}};
  for (const auto& axis : axes) table.columns.push_back({axis.name});
  table.columns.push_back({"slices"});
  std::vector<view::Row> rows;
  for (const auto& tensor : loaded) {
    view::Row row{.cells = {{tensor.name}, {tensor.stored}}};
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      row.cells.push_back({tensor.placements.empty() ? "?" : toText(tensor.placements[axis])});
    }
    std::vector<std::string> slices;
    for (const auto& slice : tensor.slices) {
      const auto text = boxText(slice.box);
      if (std::find(slices.begin(), slices.end(), text) == slices.end()) slices.push_back(text);
    }
    row.cells.push_back(
        {tensor.whyNot.empty() ? joined(slices) : "not compared: " + tensor.whyNot});
    rows.push_back(std::move(row));
  }
  table.rows = std::move(rows);
  return table;
}

void printAsJson(const std::vector<RankAxis>& axes, const LoadedTensor& tensor) {
  nlohmann::ordered_json placements = nlohmann::ordered_json::object();
  for (std::size_t axis = 0; axis < tensor.placements.size(); ++axis) {
    placements[axes[axis].name] = toText(tensor.placements[axis]);
  }
  nlohmann::ordered_json slices = nlohmann::ordered_json::array();
  for (const auto& [rank, box] : tensor.slices) {
    slices.push_back({{"rank", rank}, {"offsets", box.offsets}, {"sizes", box.sizes}});
  }
  printJson({{"tensor", tensor.name},
             {"stored", tensor.stored.empty() ? nlohmann::ordered_json()
                                              : nlohmann::ordered_json(tensor.stored)},
             {"placements", std::move(placements)},
             {"slices", std::move(slices)},
             {"problems", tensor.problems},
             {"not_compared", tensor.whyNot.empty() ? nlohmann::ordered_json()
                                                    : nlohmann::ordered_json(tensor.whyNot)}});
}

// Compares the parameters with a checkpoint. Returns the exit code.
int compareSlices(const Journal& journal, const InferredPlacements& found,
                  const PlacementsOptions& options) {
  const auto checkpoint = openCheckpoint(*options.checkpoint);
  if (!checkpoint) return unusable(checkpoint.error().message);
  const auto loaded = compareWithCheckpoint(journal, found, *checkpoint);
  const Ink ink = Ink::forTerminal();
  if (options.output == Output::Words) std::cout << tableText(tableOf(found.axes, loaded), ink);
  int code = kAllRan;
  for (const auto& tensor : loaded) {
    if (options.output == Output::Json) printAsJson(found.axes, tensor);
    for (const auto& problem : tensor.problems) {
      code = kRefused;
      if (options.output == Output::Words)
        std::cout << ink.alarm("error") << ": " << problem << '\n';
    }
  }
  return code;
}

int placements(const PlacementsOptions& options) {
  std::vector<RankAxis> axes;
  for (const auto& text : options.axes) {
    auto axis = parseRankAxis(text);
    if (!axis) return unusable(axis.error().message);
    axes.push_back(std::move(*axis));
  }
  const auto reader = openWhole(options.files);
  if (!reader) return unusable(reader.error().message);
  const Journal& journal = (*reader)->journal();
  const auto found = inferPlacements(journal, axes);
  if (found.tensors.empty()) {
    return finishAnswer(**reader,
                        reportNoMatch("no plain tensors: record with --plain", options.output));
  }
  if (options.checkpoint) {
    return finishAnswer(**reader, compareSlices(journal, found, options));
  }
  if (!options.ledger.empty()) {
    if (printLedgers(journal, found, options)) return finishAnswer(**reader, kAllRan);
    return finishAnswer(
        **reader, reportNoMatch("no gradient of '" + options.ledger + "' that an optimizer read",
                                options.output));
  }
  if (options.output == Output::Json) {
    printJsonRows(journal, found);
  } else {
    std::cout << tableText(tableOf(journal, found), Ink::forTerminal()) << "axes:";
    for (std::size_t i = 0; i < found.axes.size(); ++i) {
      std::cout << (i == 0 ? " " : ", ") << axisText(found.axes[i]);
    }
    std::cout << '\n';
    if (found.isCut) std::cout << "operators after the first 200000 were not considered\n";
  }
  return finishAnswer(**reader, kAllRan);
}

}  // namespace

void addPlacements(CommandLine& line) {
  const auto options = std::make_shared<PlacementsOptions>();
  CLI::App& command =
      line.add("placements", "List the placements inferred for the plain tensors of a job",
               [options] { return placements(*options); });
  addRecording(command, options->files);
  command.add_option("--axis", options->axes,
                     "The groups of an axis and its name, as tp=0,1|2,3; repeat it for more axes");
  command.add_option("--ledger", options->ledger,
                     "Print how the gradient of this parameter was reduced in the last step; "
                     "all: of every parameter");
  command.add_option("--checkpoint", options->checkpoint,
                     "Compare the first values of parameters and buffers with this checkpoint");
  addJson(command, options->output, "Print one JSON object per tensor");
  command.footer(kOnInferred);
}

}  // namespace shardlens::cli
