#include "tests/tensor/rules/samples.h"

namespace shardlens {
namespace {

using Tensors = Sample::Tensors;

Sample terms(std::string name, Tensors tensors, std::function<Tensors(const Tensors&)> call) {
  return {std::move(name), std::move(tensors), std::move(call), Sample::Terms::Tried,
          Sample::Match::Near};
}

Sample convolution(std::string name, Tensors tensors, bool transposed, std::int64_t groups) {
  const std::vector<std::int64_t> spatial(static_cast<std::size_t>(tensors[0].dim() - 2), 1);
  return terms(std::move(name), std::move(tensors), [=](const Tensors& t) {
    const auto bias = t.size() > 2 ? std::optional(t[2]) : std::nullopt;
    return Tensors{at::convolution(t[0], t[1], bias, spatial, spatial, spatial, transposed,
                                   std::vector<std::int64_t>(spatial.size(), 0), groups)};
  });
}

Sample backward(std::string name, Tensors tensors, bool transposed, std::int64_t groups,
                std::array<bool, 3> wanted = {true, true, true}) {
  return terms(std::move(name), std::move(tensors), [=](const Tensors& t) {
    const auto bias = std::vector<std::int64_t>{t[0].size(1)};
    const auto [x, w, b] = at::convolution_backward(t[0], t[1], t[2], bias, {1}, {1}, {1},
                                                    transposed, {0}, groups, wanted);
    Tensors gradients;
    for (const auto& each : {x, w, b}) {
      if (each.defined()) gradients.push_back(each);
    }
    return gradients;
  });
}

}  // namespace

std::vector<Sample> convolutionSamples() {
  const auto x = wholeNumbers({3, 4, 5}, 0), bias = wholeNumbers({6}, 2);
  const auto gradient = wholeNumbers({3, 6, 5}, 3);
  return {
      convolution("convolution", {x, wholeNumbers({6, 4, 3}, 1), bias}, false, 1),
      convolution("convolution of images",
                  {wholeNumbers({2, 3, 4, 4}, 0), wholeNumbers({2, 3, 3, 3}, 1)}, false, 1),
      convolution("convolution of images that some ranks lack",
                  {wholeNumbers({1, 1, 4}, 0), wholeNumbers({1, 1, 3}, 1), wholeNumbers({1}, 2)},
                  false, 1),
      convolution("convolution of groups", {x, wholeNumbers({6, 2, 3}, 1), bias}, false, 2),
      convolution("convolution of each channel",
                  {wholeNumbers({2, 6, 5}, 0), wholeNumbers({12, 1, 3}, 1), wholeNumbers({12}, 2)},
                  false, 6),
      convolution("convolution transposed", {x, wholeNumbers({4, 6, 3}, 1), bias}, true, 1),
      convolution("convolution transposed of groups", {x, wholeNumbers({4, 3, 3}, 1), bias}, true,
                  2),
      backward("convolution_backward", {gradient, x, wholeNumbers({6, 4, 3}, 1)}, false, 1),
      backward("convolution_backward of groups", {gradient, x, wholeNumbers({6, 2, 3}, 1)}, false,
               2),
      backward("convolution_backward transposed", {gradient, x, wholeNumbers({4, 6, 3}, 1)}, true,
               1),
      backward("convolution_backward of channels that some ranks lack",
               {wholeNumbers({2, 3, 5}, 0), wholeNumbers({2, 1, 5}, 1), wholeNumbers({3, 1, 3}, 2)},
               false, 1),
      backward("convolution_backward to weight and bias", {gradient, x, wholeNumbers({6, 4, 3}, 1)},
               false, 1, {false, true, true}),
  };
}

}  // namespace shardlens
