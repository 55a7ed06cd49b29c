#pragma once

#include "ui/scenes/inspected_elements.h"

#include <array>
#include <cstdint>

namespace shardlens {

// What the elements are like that are numbers and not masked.
struct ElementFigures {
  std::int64_t numbers = 0;
  double min = 0, max = 0, mean = 0;  // 0 where there is no number
  double largest = 0;                 // the absolute value that is
  std::int64_t largestAt = -1;  // its place, row-major; that of something infinite or NaN first
  std::int64_t nans = 0, infinities = 0, masked = 0, absent = 0;  // absent: on no rank
};

// Looks at all elements, some at a time: first at how large they are, then at how many are as
// large. What it has so far can be shown.
class ElementScan {
 public:
  static constexpr int kBins = 32;

  ElementScan() = default;
  explicit ElementScan(const InspectedElements& elements);

  // Looks at so many more; false: it has seen all.
  bool advance(const InspectedElements& elements, std::int64_t most);
  bool isDone() const { return binned_ == count_; }

  std::int64_t count() const { return count_; }
  std::int64_t seen() const { return seen_; }
  const ElementFigures& figures() const { return figures_; }
  // Between the smallest and the largest, in equal parts. A single value is in the first.
  const std::array<std::int64_t, kBins>& bins() const { return bins_; }

 private:
  void look(const InspectedElements& elements, std::int64_t flat);
  void bin(const InspectedElements& elements, std::int64_t flat);

  std::int64_t count_ = 0;
  std::int64_t seen_ = 0;
  std::int64_t binned_ = 0;
  double sum_ = 0;
  ElementFigures figures_;
  std::array<std::int64_t, kBins> bins_{};
};

// "18 elements · -0.97 to 0.59 · mean -0.25 · 12 masked, left out"
QString figuresWords(const ElementScan& scan);
// The same of elements of which nothing else was captured.
QString figuresWords(const Statistics& captured);

}  // namespace shardlens
