#pragma once

#include "ui/scenes/tensor_view.h"

#include <optional>
#include <string>
#include <vector>

namespace shardlens {

// Why a tensor is not put together.
enum class Gap {
  None,
  NoElements,
  TooLarge,   // more than kMostAssembled
  ManyRanks,  // more than are looked at
  LocalIds,   // of which no sum is ever taken
  ComplexTerms,
  Elsewhere,  // another process's recording has the rest
  NotCaptured,
  UnknownCut,  // values are there, and not where they belong
};

// The whole tensor, put together from what the ranks hold: pieces beside one another, terms reduced
// as the tensor's own numbers would be, masked rows left out. Where copies differ it is made from
// those that most ranks hold.
struct Assembled {
  Shape shape;
  Gap gap = Gap::None;
  std::vector<double> values;           // row-major; empty where there is a gap
  std::vector<std::int64_t> tableRows;  // per element, for what shows rows of a table; or empty
  bool copiesAgree = true;              // all ranks that hold the same hold the same values
  std::int64_t missing = 0;             // elements that no rank holds
  std::int64_t nans = 0;
  std::int64_t infinities = 0;
};

inline constexpr std::int64_t kMostAssembled = 1 << 14;

Assembled assemble(const Journal& journal, const Snapshot& snapshot, const TensorView& view);

// The same whole element by element, of any size: each is put together when it is asked for. The
// view must outlive it.
class WholeElements {
 public:
  explicit WholeElements(const TensorView& view);

  Gap gap() const { return gap_; }  // never TooLarge
  // By its index in the whole; none where no rank has it. Only where there is no gap.
  std::optional<double> at(const Shape& index) const;
  // How many pieces are looked at for an element.
  std::size_t pieces() const { return pieces_.size(); }

 private:
  const TensorView& view_;
  std::vector<const RankPart*> pieces_;
  Gap gap_ = Gap::None;
};

// Ranks that should hold the same, as lists of those that do, as far as values were captured: the
// longest list first. One where all agree.
std::vector<std::vector<int>> alike(const TensorView& view, const std::vector<int>& ranks);

// Where two copies of one shard differ.
struct Difference {
  std::int64_t flat = 0;   // the first such element of the local tensor
  std::int64_t count = 0;  // of such elements
};
std::optional<Difference> differenceOf(const TensorView& view, const RankPart& part,
                                       const RankPart& from);
// Whether one element differs. NaN is the same as itself; 0 is not the same as -0.
bool differsAt(const TensorView& view, const RankPart& part, const RankPart& from,
               std::int64_t flat);

// As the dtype holds it: the nearest number it has, or infinity.
double rounded(DType dtype, double value);

// What stands between the terms of a placement: "+", "max"; empty for what is not pending.
std::string termOperator(const Placement& placement);

}  // namespace shardlens
