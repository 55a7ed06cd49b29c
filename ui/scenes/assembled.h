#pragma once

#include "ui/scenes/tensor_view.h"

#include <optional>
#include <string>
#include <vector>

namespace shardlens {

// The reason why the whole tensor cannot be assembled from its shards.
enum class Gap {
  None,
  NoElements,
  ManyRanks,     // more ranks than TensorView::kMostRanks
  LocalIds,      // ids counted per rank, which are never summed
  ComplexTerms,  // partial values of a complex dtype
  Elsewhere,     // some shards are in other processes' recordings
  NotCaptured,   // values of some shards were not captured
  UnknownCut,    // values were captured, but their global indices are unknown
};

// The whole tensor, assembled from the shards. Partial values are reduced in the arithmetic of the
// tensor's dtype, without masked rows. If copies of a shard differ, the most frequent copy is used.
struct Assembled {
  Shape shape;
  Gap gap = Gap::None;
  // More than kMostAssembled elements: they are not assembled at once, so `values` is empty and
  // nothing is counted. WholeElements reads single elements.
  bool isLarge = false;
  std::vector<double> values;  // row-major; empty if there is a gap
  // For each element the row of the looked-up table that it shows or names, -1 if unknown. Empty if
  // the view has no such table.
  std::vector<std::int64_t> tableRows;
  bool copiesAgree = true;   // all captured copies of each shard are equal
  std::int64_t missing = 0;  // number of elements that no rank holds; their value is 0
  std::int64_t nans = 0;
  std::int64_t infinities = 0;
};

inline constexpr std::int64_t kMostAssembled = 1 << 20;

// Assembles all elements of a tensor that is not large. Returns an empty result with Gap::None if
// the view has no tensor, and no values with another gap. `snapshot` must be the one of the view.
Assembled assemble(const Journal& journal, const Snapshot& snapshot, const TensorView& view);

// The elements of the whole tensor, of any size, each assembled on access. The view must outlive
// it.
class WholeElements {
 public:
  explicit WholeElements(const TensorView& view);

  Gap gap() const { return gap_; }
  // Returns the element with this global index, or nullopt if no rank holds it. Requires
  // Gap::None. The cost is proportional to pieces().
  std::optional<double> at(const Shape& index) const;
  std::size_t pieces() const { return pieces_.size(); }  // number of shards, copies counted once

 private:
  const TensorView& view_;
  std::vector<const RankPart*> pieces_;
  Gap gap_ = Gap::None;
};

// Groups ranks whose shards should be copies by equal values, the largest group first. Ranks
// without captured values are added to the first group. Returns one group if all copies agree or no
// value was captured. All ranks must have parts.
std::vector<std::vector<int>> alike(const TensorView& view, const std::vector<int>& ranks);

// The elements in which two copies of a shard differ.
struct Difference {
  std::int64_t flat = 0;   // row-major index of the first one in the local tensor
  std::int64_t count = 0;  // number of differing elements
};
// Returns nullopt if the copies are equal, have different shapes, or were not both captured.
std::optional<Difference> differenceOf(const TensorView& view, const RankPart& part,
                                       const RankPart& from);
// Compares one element by its bytes: a NaN equals the same NaN, 0 differs from -0. Requires values
// and equal local shapes of both parts.
bool differsAt(const TensorView& view, const RankPart& part, const RankPart& from,
               std::int64_t flat);

// Converts a value to what the dtype can represent: floating dtypes round to nearest, or overflow
// to infinity; integers of up to 32 bits wrap around. Other dtypes return the value.
double rounded(DType dtype, double value);

// Returns the sign shown between partial values: "+", "×", "max", "norm". Empty if the placement is
// not partial.
std::string termOperator(const Placement& placement);

}  // namespace shardlens
