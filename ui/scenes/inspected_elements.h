#pragma once

#include "ui/scenes/tensor_elements.h"

#include <optional>

namespace shardlens {

// The elements shown in the Inspector: the values of `shown`, or `shown - against` if `against` is
// set.
class InspectedElements {
 public:
  TensorElements shown;
  std::optional<TensorElements> against;

  // Returns the reason why no element can be read, for the user, or an empty string. The functions
  // below require that it is empty.
  QString missing() const;
  // Returns the value or the difference, or nullopt if no rank holds one of the elements. The
  // difference of equal infinities, and of two NaNs, is 0.
  template <class Place>  // an index, or a row-major offset
  std::optional<double> number(const Place& at) const {
    return difference(shown.number(at), against ? against->number(at) : std::nullopt);
  }
  QString text(const Shape& at) const;  // "0.5", "+0.25"
  template <class Place>
  bool masked(const Place& at) const {
    return shown.masked(at);
  }
  // Describes an element: its value, global index, difference and mask, one per line.
  QString words(const Shape& at) const;

 private:
  std::optional<double> difference(std::optional<double> one, std::optional<double> other) const;
};

}  // namespace shardlens
