#pragma once

namespace shardlens {

// The magnification of a drawing, independent of the window's Zoom: 1 as laid out, larger, or kAll,
// so small that everything is visible.
class Magnifier {
 public:
  static constexpr double kAll = 0;

  double factor() const { return factor_; }  // kAll, or at least 1
  // Zooms by a factor of 1.5 in if `steps` is positive, at most to `most`, and out if it is
  // negative; 0 resets to 1. kAll is one step below 1. Returns true if the factor changed; false at
  // either limit.
  bool zoom(int steps, double most);

 private:
  double factor_ = 1;
};

}  // namespace shardlens
