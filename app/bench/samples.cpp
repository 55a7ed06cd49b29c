#include "app/bench/samples.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace shardlens {

double Samples::quantile(double share) const {
  if (values_.empty()) return 0;
  auto sorted = values_;
  std::sort(sorted.begin(), sorted.end());
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const auto above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], at - static_cast<double>(below));
}

std::string Samples::text(int decimals) const {
  char text[96];
  std::snprintf(text, sizeof text, "%.*f [%.*f..%.*f]", decimals, median(), decimals,
                quantile(0.25), decimals, quantile(0.75));
  return text;
}

}  // namespace shardlens
