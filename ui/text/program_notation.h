#pragma once

#include "core/view/words/placement_words.h"

#include <QJsonObject>
#include <QString>
#include <map>
#include <optional>

namespace shardlens {

// How a readable program writes placements.
struct ProgramNotation {
  view::Notation notation = view::Notation::DTensor;
  std::map<QString, std::size_t> dimensions = {};  // of tensors; used for PartitionSpec only
};

// Returns the placements of a scenario's step, on the step's own mesh or that of the scenario.
// nullopt in DTensor's notation, for placements with a shard order, and if the mesh or a placement
// is not valid.
std::optional<QString> placementsIn(const QJsonObject& scenario, const QJsonObject& step,
                                    const ProgramNotation& notation);

}  // namespace shardlens
