#pragma once

#include "core/inference/axes.h"
#include "core/inference/findings.h"
#include "core/inference/ledger.h"
#include "core/inference/placed_contents.h"
#include "core/trace/records/plain_record.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// A parameter, buffer, gradient or module output of the program. A tensor that occurs several times
// has the placement on which all occurrences with a known one agree.
struct InferredTensor {
  PlainRole role = PlainRole::None;
  std::string name;
  TensorId tensor = 0;
  EventId event = 0;                               // its last occurrence
  Shape shape = {};                                // on one rank
  std::vector<InferredPlacement> placements = {};  // for each axis
  std::vector<int> ranks = {};  // of the stage of a pipeline that has it; empty: all ranks
};

// The placements of the plain tensors of a recorded job. They are inferred, because a program with
// plain tensors does not state placements.
struct InferredPlacements {
  std::vector<RankAxis> axes;
  std::optional<AxisMesh> mesh;         // of the axes, see meshOf()
  std::vector<InferredTensor> tensors;  // in the order of their first occurrence
  std::vector<PlainFinding> findings;   // what is wrong, axis by axis
  std::vector<GradientLedger> ledgers;  // of all gradients that an optimizer read, in that order
  PlacedContents contents;              // of all tensors, also of those without a role
  bool isCut = false;                   // later operators were not considered
};

// Infers the placements of a recording made with `record --plain`; empty for others. `given`: see
// inferAxes(). A placement is stated only if no other one is consistent with the collectives, the
// recorded values and the rules of the operators. Two assumptions: a tensor that no operator made
// is whole or a shard, and arithmetic on values that belong together makes sense. The stages of a
// pipeline are considered one by one, if the journal is merged from their recordings.
InferredPlacements inferPlacements(const Journal& journal, const std::vector<RankAxis>& given = {});

std::string_view roleName(PlainRole role);         // "parameter"
std::string_view evidenceName(EvidenceKind kind);  // "equal values"

}  // namespace shardlens
