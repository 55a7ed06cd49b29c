#pragma once

#include <string>
#include <vector>

namespace shardlens {

// A list of measured numbers, with their quantiles.
class Samples {
 public:
  void add(double value) { values_.push_back(value); }

  std::size_t size() const { return values_.size(); }
  // Returns the quantile for a share from 0 to 1, interpolated linearly; 0 without values.
  double quantile(double share) const;
  double median() const { return quantile(0.5); }
  double max() const { return quantile(1); }
  // Returns the median and the quartiles: "12.3 [11.8..12.9]".
  std::string text(int decimals) const;

 private:
  std::vector<double> values_;
};

}  // namespace shardlens
