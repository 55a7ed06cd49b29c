#pragma once

#include "ui/scenes/tensor_elements.h"

#include <optional>

namespace shardlens {

// What the Inspector shows of each element: its value, or how far it is from that of others of the
// same shape.
class InspectedElements {
 public:
  TensorElements shown;
  std::optional<TensorElements> against;

  // Why nothing can be read, in words; empty where it can.
  QString missing() const;
  template <class Place>  // an index, or a row-major place
  std::optional<double> number(const Place& at) const {
    return difference(shown.number(at), against ? against->number(at) : std::nullopt);
  }
  QString text(const Shape& at) const;  // "0.5", "+0.25"
  template <class Place>
  bool masked(const Place& at) const {
    return shown.masked(at);
  }
  // An element with all that is known of it, in words, a line each.
  QString words(const Shape& at) const;

 private:
  std::optional<double> difference(std::optional<double> one, std::optional<double> other) const;
};

}  // namespace shardlens
