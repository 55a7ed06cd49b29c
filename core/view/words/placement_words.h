#pragma once

#include "core/base/result.h"
#include "core/model/mesh.h"
#include "core/trace/journal/journal.h"
#include "core/trace/records/lookup_record.h"
#include "core/trace/records/recorded_placements.h"

#include <optional>
#include <string>
#include <string_view>

namespace shardlens::view {

// A notation for placements. For a tensor with two dimensions on a mesh 2x4:dp,tp:
//
//   DTensor        (S(0), R)       as in recordings, scenarios and queries
//   NamedAxes      dp:S(0) tp:R
//   PartitionSpec  P('dp', None)   as in JAX
//
// PartitionSpec extends JAX where it has no syntax. Partial sums are unreduced={'tp'} as in JAX;
// other partials are unreduced={'tp': max} or {'tp': MaskP(sum, [10, 3], 0)}. Strided shards are an
// order of axes, P(('tp', 'dp')), or P(strided('dp', 3)) if no order is equivalent.
enum class Notation { DTensor, NamedAxes, PartitionSpec };

std::string_view notationName(Notation notation);  // "dtensor", "axes", "jax"
// Inverse of notationName().
Result<Notation> parseNotation(std::string_view name);

// A tensor's number of dimensions; nullopt if unknown.
using Dimensions = std::optional<std::size_t>;
// Returns placements as text. Without `dimensions`, P() ends with the last sharded one. Falls back
// to DTensor's notation if the number of placements is not that of the mesh.
std::string placementsText(const Placements& placements, const DeviceMesh& mesh,
                           Dimensions dimensions, Notation notation);

// Writes recorded placements in a notation. Placements whose number is not the mesh's number of
// dimensions, and texts that recordings do not know, stay as they are. The constructor copies the
// mesh.
class PlacementWords {
 public:
  PlacementWords() = default;  // writes DTensor's notation
  // For placements on the recording's mesh; DTensor's notation if the recording has none.
  PlacementWords(const Journal& journal, Notation notation);
  // For placements of this tensor; uses its mesh and number of dimensions. For an
  // unknown tensor, uses the recording's mesh.
  PlacementWords(const Journal& journal, TensorId tensor, Notation notation);
  // For a Plan event: placements of the tensor that is redistributed.
  static PlacementWords ofPlan(const Journal& journal, const Event& plan, Notation notation);

  // Returns the tensor's placements.
  std::string of(const TensorRecord& tensor) const;
  // Returns "(S(0), R)" in DTensor's notation, or "S(0)" on a mesh of one dimension.
  std::string of(const RecordedPlacements& recorded) const;
  // As of(), without parentheses in DTensor's notation: "S(0), R".
  std::string listed(const RecordedPlacements& recorded) const;
  // Returns "(S(0), R) -> (R, R)".
  std::string of(const Route& route) const;
  // Returns the route of a Redistribute or Plan; its name if it has no route.
  std::string route(const Journal& journal, const Event& event) const;
  // Returns a tensor with its placements: "f32[10, 3](S(0), R)".
  std::string placed(DType dtype, const Shape& shape, const Placements& placements) const;
  // Returns the value of a field of a cache key.
  std::string inKey(const LookupValue& value) const;
  // Returns placements of some mesh dimensions, "S(0), R": `recorded` has one per entry of
  // `meshDims`. Falls back to DTensor's notation if the numbers differ or a dimension is not on the
  // mesh.
  std::string along(const std::vector<int>& meshDims, const RecordedPlacements& recorded) const;

 private:
  // Returns the placements in the notation; nullopt for DTensor's, and if they do not fit the mesh.
  std::optional<std::string> rewritten(const Placements& placements, Dimensions dimensions) const;

  Notation notation_ = Notation::DTensor;
  std::optional<DeviceMesh> mesh_;  // nullopt: DTensor's notation
  Dimensions dimensions_;
};

}  // namespace shardlens::view
