#pragma once

namespace shardlens {

// How closely a drawing is looked at, whatever the window's Zoom is: as it was laid out, so many
// times larger, or so small that all of it can be seen.
class Magnifier {
 public:
  static constexpr double kAll = 0;

  double factor() const { return factor_; }  // kAll, or 1 and more
  // Closer where it is positive, up to so many times; farther away where it is negative; as it was
  // laid out at 0. Whether that changed anything.
  bool zoom(int steps, double most);

 private:
  double factor_ = 1;
};

}  // namespace shardlens
