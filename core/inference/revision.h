#pragma once

#include "core/inference/domain.h"
#include "core/inference/graph.h"
#include "core/inference/relations.h"
#include "core/inference/traffic.h"

#include <vector>

namespace shardlens {

// The placements that one operation leaves for its inputs and outputs.
struct Revision {
  enum class Kind {
    Nothing,   // the operation says nothing about its variables
    Narrows,   // they have placements of `inputs` and `outputs`
    Conflicts  // no placements of the variables fit together
  };
  Kind kind = Kind::Nothing;
  std::vector<Domain> inputs = {};
  std::vector<Domain> outputs = {};
};

// Returns what the relation of an operation leaves of the domains of all variables of the graph.
// The relation is known.
Revision reviseOperation(const PlainGraph& graph, std::size_t operation, const Relation& relation,
                         const AxisTraffic& traffic, const std::vector<Domain>& domains,
                         PlacementCodes& codes);

}  // namespace shardlens
