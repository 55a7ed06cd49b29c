#pragma once

#include "core/base/result.h"
#include "core/model/mesh.h"
#include "core/trace/journal/journal.h"

#include <optional>
#include <string>
#include <string_view>

namespace shardlens::view {

// How a person reads placements. On a mesh 2x4:dp,tp, of a tensor with two dimensions:
//
//   DTensor        (S(0), R)       as recordings, scenarios and queries have them
//   NamedAxes      dp:S(0) tp:R
//   PartitionSpec  P('dp', None)   as JAX has them
//
// JAX has no words for some; there it is extended. Sums that are pending are its own
// unreduced={'tp'}, other terms unreduced={'tp': max} or {'tp': MaskP(sum, [10, 3], 0)}. Strided
// shards are the order of axes, P(('tp', 'dp')); one that no order gives is P(strided('dp', 3)).
enum class Notation { DTensor, NamedAxes, PartitionSpec };

std::string_view notationName(Notation notation);  // "dtensor", "axes", "jax"
Result<Notation> parseNotation(std::string_view name);

// One at a time, for the whole program, whichever thread asks.
Notation notation();
void setNotation(Notation notation);

// Of a tensor with so many dimensions; where that is not known, P() ends with the last one cut.
using Dimensions = std::optional<std::size_t>;
std::string placementsText(const Placements& placements, const DeviceMesh& mesh,
                           Dimensions dimensions, Notation notation);

// Placements as text, found in what a recording says in DTensor's notation: a change, a cache's
// key. "(S(0), R) -> (R, R)", "f32[10, 3](S(0), R)". Those of another number of mesh dimensions,
// and all other text, stay as they are.
class PlacementWords {
 public:
  // Of the mesh that the recording ran on.
  explicit PlacementWords(const Journal& journal);
  // Of the tensor's mesh, where it has one of its own.
  PlacementWords(const Journal& journal, TensorId tensor);

  std::string of(const TensorRecord& tensor) const;
  std::string in(std::string_view recorded) const;
  // What lies along these mesh dimensions alone, "tp", or "dp_tp": "S(0)", "S(0), R".
  std::string along(std::string_view axis, std::string_view recorded) const;

 private:
  std::optional<DeviceMesh> mesh_;
  Dimensions dimensions_;
};

}  // namespace shardlens::view
