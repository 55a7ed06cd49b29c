#include "app/cli/ink.h"
#include "app/cli/table_text.h"
#include "app/cli/topology_file.h"
#include "app/engine/engine_programs.h"
#include "core/edit/placement_choices.h"
#include "core/model/shard_geometry.h"
#include "core/session/session.h"
#include "core/trace/journal/journal.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/view/tables/placement_costs.h"
#include "core/view/words/units.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <iostream>
#include <optional>
#include <unistd.h>

namespace shardlens::cli {
namespace {

using view::PlacementCost;

// The placements of a tensor where it was made.
struct PlacedTensor {
  Placements placements;
  DeviceMesh mesh;
  Shape shape;
  std::int64_t held = 0;  // bytes on rank 0
};

// Runs programs without data.
class DryRuns {
 public:
  DryRuns(std::string path, const CostModel& costs) : path_(std::move(path)), costs_(costs) {}

  struct Ran {
    std::optional<PlacedTensor> tensor;  // nullopt if the program is refused before it is made
    view::RunCosts costs;
    std::string refusal;
  };

  Result<Ran> run(const std::string& text, const std::string& tensor) const {
    auto scenario = parseScenario(text, path_);
    if (!scenario) return tl::unexpected(scenario.error());
    Journal journal({.times = true, .reasons = false});
    Session session(std::move(*scenario), {.sinks = {&journal},
                                           .backend = Backend::dry(costs_),
                                           .costs = costs_,
                                           .answer = Answer::Skip});
    while (session.step()) {
    }
    return Ran{placed(journal, tensor), view::costsOf(journal), session.error()};
  }

 private:
  static std::optional<PlacedTensor> placed(const Journal& journal, const std::string& name) {
    for (TensorId id = journal.tensors(); id > 0; --id) {
      const TensorRecord tensor = journal.tensor(id);
      if (tensor.name != name) continue;
      const DeviceMesh mesh = tensor.mesh ? *tensor.mesh : *recordedMesh(journal);
      PlacedTensor placed{tensor.placements, mesh, tensor.shape};
      if (mesh.has(0)) {
        const Shape local = localShape(tensor.shape, mesh, tensor.placements, 0);
        placed.held = elementCount(local) * dtypeSize(tensor.dtype);
      }
      return placed;
    }
    return std::nullopt;
  }

  std::string path_;
  const CostModel& costs_;
};

PlacementCost costOf(const DryRuns::Ran& ran, const PlacedTensor& now, Placements placements) {
  return {.placements = std::move(placements),
          .mesh = now.mesh,
          .dimensions = now.shape.size(),
          .sent = ran.costs.all(),
          .held = ran.tensor ? ran.tensor->held : 0,
          .refusal = ran.refusal};
}

// Estimates the cost of each placement of the tensor, the present one first. Prints its progress.
class WhatIf {
 public:
  WhatIf(const WhatIfOptions& options, const Scenario& scenario, const CostModel& costs)
      : options_(options), text_(scenario.source), runs_(scenario.path, costs) {}

  Result<std::vector<PlacementCost>> run() const {
    if (const auto known = withPlacements(text_, options_.tensor, {}); !known) {
      return tl::unexpected(known.error());
    }
    const auto now = runs_.run(text_, options_.tensor);
    if (!now) return tl::unexpected(now.error());
    if (!now->tensor) return fail(notMade(*now));
    const PlacedTensor& placed = *now->tensor;
    const PlacementChoices choices(placed.mesh.ndim(), static_cast<int>(placed.shape.size()));
    if (choices.size() > PlacementChoices::kMost) {
      return fail(
          fmt::format("{} on a mesh of {}: got more than {} placements, expected fewer",
                      view::plural(static_cast<std::int64_t>(placed.shape.size()), "dimension"),
                      view::plural(placed.mesh.ndim(), "dimension"), PlacementChoices::kMost));
    }
    std::vector<PlacementCost> all{costOf(*now, placed, placed.placements)};
    all.front().isNow = true;
    for (std::size_t i = 0; i < choices.size(); ++i) {
      printProgress(i, choices.size());
      const Placements placements = choices[i];
      if (placements == placed.placements) continue;
      const auto program = withPlacements(text_, options_.tensor, placements);
      if (!program) return tl::unexpected(program.error());
      const auto ran = runs_.run(program->text, program->tensor);
      if (!ran) return tl::unexpected(ran.error());
      all.push_back(costOf(*ran, placed, placements));
    }
    printProgress(choices.size(), choices.size());
    rankByCost(all);
    return all;
  }

 private:
  std::string notMade(const DryRuns::Ran& ran) const {
    return ran.refusal.empty()
               ? fmt::format("got {}, expected a tensor that a step of the program makes",
                             options_.tensor)
               : fmt::format("the unchanged program does not make {}: {}", options_.tensor,
                             ran.refusal);
  }

  // Prints the progress: lines if requested, else in place on a terminal.
  void printProgress(std::size_t done, std::size_t all) const {
    if (options_.printsProgress) {
      std::cerr << fmt::format("{} of {}\n", done, all) << std::flush;
    } else if (isatty(STDERR_FILENO) != 0) {
      std::cerr << fmt::format("\restimating {} of {}{}", done, all, done == all ? "\r\x1b[K" : "")
                << std::flush;
    }
  }

  const WhatIfOptions& options_;
  std::string text_;
  DryRuns runs_;
};

void print(const WhatIfOptions& options, const std::vector<PlacementCost>& ranked) {
  if (options.output == Output::Json) {
    for (const PlacementCost& cost : ranked) printJson(toJson(cost));
    return;
  }
  const Ink ink = Ink::forTerminal();
  std::cout << ink.bold(options.tensor + ": " + view::cheapestText(ranked, options.notation))
            << '\n'
            << view::plural(static_cast<std::int64_t>(ranked.size()), "placement")
            << ", estimated by dry runs of the whole program, for rank 0\n\n"
            << tableText(view::placementCostsTable(ranked, options.notation), ink);
}

}  // namespace

int whatIf(const WhatIfOptions& options) {
  auto scenarios = readScenarios(options.file);
  if (!scenarios) return unusable(scenarios.error().message);
  if (scenarios->size() != 1) {
    return unusable(fmt::format("{}: got {} scenarios, expected one", options.file.string(),
                                scenarios->size()));
  }
  const auto costs = options.topology ? readTopology(*options.topology) : CostModel();
  if (!costs) return unusable(costs.error().message);
  const auto all = WhatIf(options, scenarios->front(), *costs).run();
  if (!all) return unusable(options.file.string() + ": " + all.error().message);
  print(options, *all);
  return finishOutput(all->front().refusal.empty() ? kAllRan : kRefused);
}

}  // namespace shardlens::cli
