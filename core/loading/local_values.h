#pragma once

#include "core/checkpoints/checkpoint.h"
#include "core/checkpoints/slice_reader.h"
#include "core/trace/journal/journal.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shardlens {

// The elements of a tensor in row-major order.
struct Elements {
  Shape shape;
  std::vector<double> values;
};

// Returns what a rank recorded of a tensor at an event; nullopt without elements, and for complex
// numbers.
std::optional<Elements> recordedElements(const Journal& journal, TensorId tensor, EventId event,
                                         int rank);

// Returns the elements of a tensor of a checkpoint. Returns an error for complex numbers, for more
// than 2^24 elements, if elements are missing, and if a file cannot be read.
Result<Elements> storedElements(OpenFiles& files, const CheckpointTensor& tensor);

// Compares the elements of one rank with boxes of a whole tensor.
class BoxSearch {
 public:
  // `unit`: the relative difference up to which elements count as equal. Both arguments must
  // outlive this object.
  BoxSearch(const Elements& whole, double unit) : whole_(whole), unit_(unit) {}

  // Returns the first local element that differs from the box at these offsets; nullopt if none
  // does. The box must be within the whole tensor.
  std::optional<std::int64_t> firstDifference(const Elements& local, const Extents& offsets);
  // Returns the offsets of the first box that has the elements; nullopt if there is none, if it is
  // not found within 2^28 comparisons, and for elements that are all the same number.
  std::optional<Extents> find(const Elements& local);
  // Returns the element of the whole tensor that has this index in a box.
  double at(const Shape& box, const Extents& offsets, std::int64_t index) const;

 private:
  const Elements& whole_;
  double unit_;
  std::int64_t compared_ = 0;
};

}  // namespace shardlens
