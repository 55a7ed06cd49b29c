#include "tests/tensor/rules/samples.h"

namespace shardlens {
namespace {

using Tensors = Sample::Tensors;

Sample terms(std::string name, Tensors tensors, std::function<Tensors(const Tensors&)> call) {
  return {std::move(name), std::move(tensors), std::move(call), Sample::Terms::Tried,
          Sample::Match::Near};
}

// Parameters for each spatial dimension. `more` is the output padding of a transposed convolution.
struct How {
  std::int64_t stride = 1, padding = 1, dilation = 1, more = 0;
};

Sample convolution(std::string name, Tensors tensors, bool transposed, std::int64_t groups,
                   How how = {}) {
  const std::vector<std::int64_t> more(static_cast<std::size_t>(tensors[0].dim() - 2), how.more);
  return terms(std::move(name), std::move(tensors), [=](const Tensors& t) {
    const auto bias = t.size() > 2 ? std::optional(t[2]) : std::nullopt;
    return Tensors{at::convolution(t[0], t[1], bias, {how.stride}, {how.padding}, {how.dilation},
                                   transposed, more, groups)};
  });
}

Sample backward(std::string name, Tensors tensors, bool transposed, std::int64_t groups,
                std::array<bool, 3> outputMask = {true, true, true}, How how = {}) {
  return terms(std::move(name), std::move(tensors), [=](const Tensors& t) {
    const auto bias = std::vector<std::int64_t>{t[0].size(1)};
    const auto [x, w, b] =
        at::convolution_backward(t[0], t[1], t[2], bias, {how.stride}, {how.padding},
                                 {how.dilation}, transposed, {how.more}, groups, outputMask);
    Tensors gradients;
    for (const auto& each : {x, w, b}) {
      if (each.defined()) gradients.push_back(each);
    }
    return gradients;
  });
}

// Convolutions whose windows need elements of the previous and next rank.
std::vector<Sample> withHalos() {
  constexpr std::array<bool, 3> kAll = {true, true, true};
  const auto x = wholeNumbers({2, 2, 9}, 0), w = wholeNumbers({3, 2, 3}, 1),
             bias = wholeNumbers({3}, 2);
  const How strided{.stride = 2}, leaving{.stride = 3, .padding = 0},
      wide{.padding = 2, .dilation = 2}, longer{.stride = 2, .more = 1};
  return {
      convolution("convolution by steps of 2", {x, w, bias}, false, 1, strided),
      convolution("convolution that leaves places", {x, wholeNumbers({3, 2, 2}, 1)}, false, 1,
                  leaving),
      convolution("convolution of every other place", {x, w, bias}, false, 1, wide),
      convolution("convolution of windows wider than parts",
                  {wholeNumbers({1, 1, 4}, 0), wholeNumbers({1, 1, 7}, 1)}, false, 1,
                  {.padding = 3}),
      convolution("convolution of one place each", {x, wholeNumbers({3, 2, 1}, 1), bias}, false, 1,
                  {.padding = 0}),
      convolution("convolution of images by steps of 2",
                  {wholeNumbers({1, 2, 6, 7}, 0), wholeNumbers({2, 2, 3, 2}, 1)}, false, 1,
                  strided),
      convolution("convolution transposed by steps of 2", {x, wholeNumbers({2, 3, 3}, 1), bias},
                  true, 1, longer),
      convolution("convolution transposed of images",
                  {wholeNumbers({1, 2, 4, 3}, 0), wholeNumbers({2, 2, 3, 3}, 1)}, true, 1, wide),
      backward("convolution_backward by steps of 2", {wholeNumbers({2, 3, 5}, 3), x, w}, false, 1,
               kAll, strided),
      backward("convolution_backward that leaves places",
               {wholeNumbers({2, 3, 3}, 3), x, wholeNumbers({3, 2, 2}, 1)}, false, 1, kAll,
               leaving),
      backward("convolution_backward of images",
               {wholeNumbers({1, 2, 5, 4}, 3), wholeNumbers({1, 2, 5, 4}, 0),
                wholeNumbers({2, 2, 3, 3}, 1)},
               false, 1),
      backward("convolution_backward to images alone", {wholeNumbers({2, 3, 9}, 3), x, w}, false, 1,
               {true, false, false}, wide),
      backward("convolution_backward transposed by steps of 2",
               {wholeNumbers({2, 3, 18}, 3), x, wholeNumbers({2, 3, 3}, 1)}, true, 1, kAll, longer),
  };
}

}  // namespace

std::vector<Sample> convolutionSamples() {
  std::vector<Sample> samples = withHalos();
  const auto x = wholeNumbers({3, 4, 5}, 0), bias = wholeNumbers({6}, 2);
  const auto gradient = wholeNumbers({3, 6, 5}, 3);
  const std::vector<Sample> more = {
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
  samples.insert(samples.end(), more.begin(), more.end());
  return samples;
}

}  // namespace shardlens
