#pragma once

#include <string>
#include <vector>

namespace shardlens {

// Numbers of one kind, and what is said of them.
class Samples {
 public:
  void add(double value) { values_.push_back(value); }

  std::size_t size() const { return values_.size(); }
  // Between neighbours where it falls between; 0 of none.
  double quantile(double share) const;
  double median() const { return quantile(0.5); }
  double max() const { return quantile(1); }
  // "12.3 [11.8..12.9]": the median, and what half of all lie between.
  std::string text(int decimals) const;

 private:
  std::vector<double> values_;
};

}  // namespace shardlens
