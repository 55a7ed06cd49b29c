#pragma once

#include "core/model/mesh.h"
#include "core/model/placement.h"
#include "core/view/run_costs.h"
#include "core/view/table.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace shardlens::view {

// What all of a program would send if one of its tensors lay so, as far as the program came.
struct PlacementCost {
  Placements placements = {};
  DeviceMesh mesh = {};        // that the tensor lies on
  std::size_t dimensions = 0;  // of the tensor
  bool isNow = false;          // it lies so in the program as it is
  StepCost sent = {};          // by the whole program
  std::int64_t held = 0;       // bytes of the tensor on rank 0
  std::string refusal = {};    // empty: all steps ran; else "step y: ..."
};

// The least time first, then the fewest bytes that are sent, then the fewest that are held; what is
// refused comes last.
void rankByCost(std::vector<PlacementCost>& costs);

// The row is the place among the costs. What is said of the cheapest is how it differs from the
// program as it is.
struct PlacementCostsTable {
  enum Column { Placements, Time, Sent, Held, Collectives, Difference };
};
Table placementCostsTable(const std::vector<PlacementCost>& costs);

// The best of those that are ranked, beside the program as it is: "R is cheapest: 72 B less".
std::string cheapestText(const std::vector<PlacementCost>& ranked);

// {"placements": ["S(0)"], "mesh": "4:tp", "dimensions": 2, "now": true, "microseconds": 6.6,
// "bytes": 96, "collectives": {"all_gather": 1}, "implicit": 0, "held": 48, "error": null}
nlohmann::ordered_json toJson(const PlacementCost& cost);
// Nothing where it is something else.
std::optional<PlacementCost> placementCostOf(const nlohmann::ordered_json& json);

}  // namespace shardlens::view
