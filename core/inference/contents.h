#pragma once

#include "core/inference/axes.h"
#include "core/trace/journal/journal.h"

namespace shardlens {

// Unknown: not all ranks have recorded values, or the elements are all the same number, which every
// placement could have. Close: they differ by rounding. Where only statistics are recorded, these
// are compared: tensors with equal ones count as equal. Where hashes are recorded, only tensors
// with equal hashes do; statistics that are close show that others differ by rounding.
enum class Likeness { Unknown, Equal, Close, Different };

// Compares the elements that the ranks of each group of an axis have of a tensor at an event. Equal
// and Close if that holds in all groups; Different if it does in one.
Likeness compareContents(const Journal& journal, TensorId tensor, EventId event,
                         const RankAxis& axis);

// The first element in which two ranks of a group differ by more than rounding.
struct ContentDifference {
  static constexpr std::int64_t kStatistics = -2;
  static constexpr std::int64_t kHashes = -3;
  int first = 0, second = 0;  // ranks
  // Of the local elements; -1: the shapes differ. kStatistics or kHashes: only these are known, and
  // the values are means, or smallest or largest elements.
  std::int64_t index = 0;
  double firstValue = 0, secondValue = 0;
};
std::optional<ContentDifference> firstDifference(const Journal& journal, TensorId tensor,
                                                 EventId event, const RankAxis& axis);

// The first two ranks of a group that have the same elements, which are not all one number: index
// 0, with its value; kHashes if only the hashes are recorded, with the mean.
std::optional<ContentDifference> firstCopy(const Journal& journal, TensorId tensor, EventId event,
                                           const RankAxis& axis);

}  // namespace shardlens
