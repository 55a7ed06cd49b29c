#include "tests/tensor/rules/samples.h"

namespace shardlens {

std::vector<Sample> trilinearSamples() {
  const auto left = wholeNumbers({5, 3}), right = wholeNumbers({5, 4}, 1);
  const auto weight = wholeNumbers({2, 3, 4}, 2);
  std::vector<Sample> all = {
      sampleOf("bilinear", {left, right, weight, wholeNumbers({2}, 3)},
               [](const auto& t) { return at::bilinear(t[0], t[1], t[2], t[3]); }),
      sampleOf("_trilinear", {left, weight, right},
               [](const auto& t) {
                 return at::_trilinear(t[0], t[1], t[2], {1, 3}, {0}, {1, 2}, {2, 3});
               }),
      sampleOf("_trilinear of rows that are stretched", {wholeNumbers({1, 3}), weight, right},
               [](const auto& t) {
                 return at::_trilinear(t[0], t[1], t[2], {1, 3}, {0}, {1, 2}, {2, 3});
               }),
      sampleOf("_trilinear summed over what none has",
               {wholeNumbers({4}), wholeNumbers({4}, 1), wholeNumbers({4}, 2)},
               [](const auto& t) { return at::_trilinear(t[0], t[1], t[2], {0}, {0}, {0}, {0}); }),
  };
  for (auto& sample : all) sample.match = Sample::Match::Near;
  return all;
}

}  // namespace shardlens
