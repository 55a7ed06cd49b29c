#pragma once

#include "ui/scenes/inspected_elements.h"

#include <array>
#include <cstdint>

namespace shardlens {

// Statistics of elements.
struct ElementFigures {
  std::int64_t numbers = 0;           // finite and not masked
  double min = 0, max = 0, mean = 0;  // of `numbers`; 0 if there are none
  double largest = 0;                 // the largest absolute value
  // The row-major index of `largest`; the first infinity or NaN if there is one. -1 if none.
  std::int64_t largestAt = -1;
  std::int64_t nans = 0, infinities = 0, masked = 0, absent = 0;  // absent: on no rank
};

// An incremental scan over elements in two passes: statistics first, then a histogram. Partial
// results can be shown at any time.
class ElementScan {
 public:
  static constexpr int kBins = 32;

  ElementScan() = default;  // of no elements; isDone()
  explicit ElementScan(const InspectedElements& elements);

  // Examines up to `most` more elements; each counts once per pass. `elements` must be those of the
  // constructor. Returns false when both passes are done.
  bool advance(const InspectedElements& elements, std::int64_t most);
  bool isDone() const { return binned_ == count_; }

  std::int64_t count() const { return count_; }  // 0 if the elements cannot be read
  std::int64_t seen() const { return seen_; }    // in the first pass
  const ElementFigures& figures() const { return figures_; }
  // The histogram of finite elements in equal intervals from min to max; all in the first bin if
  // min equals max. Filled in by the second pass.
  const std::array<std::int64_t, kBins>& bins() const { return bins_; }

 private:
  void scan(const InspectedElements& elements, std::int64_t flat);
  void bin(const InspectedElements& elements, std::int64_t flat);

  std::int64_t count_ = 0;
  std::int64_t seen_ = 0;
  std::int64_t binned_ = 0;
  double sum_ = 0;
  ElementFigures figures_;
  std::array<std::int64_t, kBins> bins_{};
};

// Returns "18 elements · -0.97 to 0.59 · mean -0.25 · 12 masked, excluded"; before the scan is
// done, "5 of 18 elements read · ...".
QString figuresWords(const ElementScan& scan);
// Returns the same from captured statistics, for elements whose values were not captured.
QString figuresWords(const Statistics& captured);

}  // namespace shardlens
