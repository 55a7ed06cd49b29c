#pragma once

#include "core/base/result.h"
#include "core/model/mesh.h"
#include "core/trace/journal/journal.h"

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

// Rewrites placements inside recorded text to a notation, as in "(S(0), R) -> (R, R)",
// "f32[10, 3](S(0), R)" or a cache key. Other text, and lists whose length is not the mesh's number
// of dimensions, stay unchanged. The constructor copies the mesh.
class PlacementWords {
 public:
  // For text about the recording's mesh.
  PlacementWords(const Journal& journal, Notation notation);
  // For text about this tensor; uses its mesh and number of dimensions.
  PlacementWords(const Journal& journal, TensorId tensor, Notation notation);

  // Returns the tensor's placements.
  std::string of(const TensorRecord& tensor) const;
  // Returns the text with rewritten placements.
  std::string in(std::string_view recorded) const;
  // Returns the placements on some mesh dimensions, as "S(0)" for `axis` "tp" or "S(0), R" for
  // "dp_tp".
  std::string along(std::string_view axis, std::string_view recorded) const;

 private:
  Notation notation_;
  std::optional<DeviceMesh> mesh_;  // nullopt: no rewriting
  Dimensions dimensions_;
};

}  // namespace shardlens::view
