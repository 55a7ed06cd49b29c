#pragma once

#include "core/inference/axes.h"
#include "core/inference/domain.h"
#include "core/inference/graph.h"
#include "core/inference/relations.h"

#include <optional>

namespace shardlens {

// The placements that a collective implies for its tensors along one axis.
struct CollectiveFacts {
  std::optional<Domain> inputs;  // the placements that each input has; nullopt: nothing is known
  std::optional<Domain> outputs;
  // Along an axis that the collective does not touch: how outputs follow inputs.
  Relation relation;
};

// Returns empty facts for a collective whose groups contain only parts of the axis's groups, and
// for kinds that imply no placement.
CollectiveFacts collectiveFacts(const PlainGraph& graph, const PlainOperation& op,
                                const RankAxis& axis, PlacementCodes& codes);

}  // namespace shardlens
