#pragma once

#include "core/model/mesh.h"
#include "core/model/placement.h"
#include "core/view/tables/run_costs.h"
#include "core/view/tables/table.h"
#include "core/view/words/placement_words.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace shardlens::view {

// The cost of a program if one of its tensors had these placements, up to the first refused step.
struct PlacementCost {
  Placements placements = {};
  DeviceMesh mesh = {};        // mesh of the tensor
  std::size_t dimensions = 0;  // number of dimensions of the tensor
  bool isNow = false;          // the placements in the current program
  StepCost sent = {};          // communication of the whole program
  std::int64_t held = 0;       // bytes of the tensor on rank 0
  std::string refusal = {};    // "" if all steps ran, else "step y: ..."
};

// Sorts by time, then bytes sent, then bytes held. Refused ones come last.
void rankByCost(std::vector<PlacementCost>& costs);

// A table of the costs, one row per element of `costs`. Difference is relative to the current
// program. Marks the current placements.
struct PlacementCostsTable {
  enum Column { Placements, Time, Sent, Held, Collectives, Difference };
};
Table placementCostsTable(const std::vector<PlacementCost>& costs,
                          Notation notation = Notation::DTensor);

// Returns a sentence about the first of the ranked costs, compared with the current program: "R is
// cheapest: 72 B less than S(0) (now)". Other sentences say that no placement was estimated, or
// that every placement is refused.
std::string cheapestText(const std::vector<PlacementCost>& ranked,
                         Notation notation = Notation::DTensor);

// {"placements": ["S(0)"], "mesh": "4:tp", "dimensions": 2, "now": true, "microseconds": 6.6,
// "bytes": 96, "collectives": {"all_gather": 1}, "implicit": 0, "held": 48, "error": null} A
// refused placement has no figures: {"placements", "mesh", "dimensions", "now", "error":
// {"message": "..."}}.
nlohmann::ordered_json toJson(const PlacementCost& cost);
// Inverse of toJson(). Returns nullopt for other JSON.
std::optional<PlacementCost> placementCostOf(const nlohmann::ordered_json& json);

}  // namespace shardlens::view
