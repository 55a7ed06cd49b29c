#include "tests/tensor/rules/samples.h"

namespace shardlens {
namespace {

using Tensor = at::Tensor;
using Tensors = Sample::Tensors;

Tensor sorted(at::IntArrayRef shape) { return std::get<0>(wholeNumbers(shape, 1).sort(-1)); }

// Operators whose output size depends on the data.
std::vector<Sample> sizedByData() {
  const auto x = wholeNumbers({5, 4}).relu();
  return {
      sampleOf("nonzero", x, [](auto& t) { return t.nonzero(); }),
      sampleOf("masked_select", x, wholeNumbers({5, 4}, 1).gt(0),
               [](auto& t, auto& m) { return t.masked_select(m); }),
      sampleOf("index.Tensor by a mask", x, wholeNumbers({5}, 1).gt(0),
               [](auto& t, auto& m) { return at::index(t, {m}); }),
      {"_unique2",
       {x},
       [](const Tensors& t) {
         const auto [values, inverse, counts] = at::_unique2(t[0], true, true, true);
         return Tensors{values, inverse, counts};
       }},
      sampleOf("bincount", x.to(at::kLong).flatten(), [](auto& t) { return at::bincount(t); }),
      sampleOf("masked_scatter", x, wholeNumbers({5, 4}, 1).gt(0),
               [](auto& t, auto& m) { return at::masked_scatter(t, m, t + 1); }),
  };
}

}  // namespace

std::vector<Sample> lookupSamples() {
  const auto x = wholeNumbers({5, 4});
  const auto bounds = sorted({7});
  const auto index = at::arange(10).mul(7).remainder(20).reshape({5, 2});
  auto samples = sizedByData();
  samples.push_back(sampleOf("isin.Tensor_Tensor", x, wholeNumbers({3}, 1),
                             [](auto& t, auto& u) { return at::isin(t, u); }));
  samples.push_back(sampleOf("bucketize.Tensor", x, bounds,
                             [](auto& t, auto& u) { return at::bucketize(t, u); }));
  samples.push_back(sampleOf("searchsorted.Tensor", bounds, x,
                             [](auto& t, auto& u) { return at::searchsorted(t, u); }));
  samples.push_back(sampleOf("searchsorted.Tensor of rows", sorted({5, 7}), x,
                             [](auto& t, auto& u) { return at::searchsorted(t, u, true); }));
  samples.push_back(sampleOf("histc", x, [](auto& t) { return at::histc(t, 5, -60, 70); }));
  samples.push_back(sampleOf("histc of all", x, [](auto& t) { return at::histc(t, 5); }));
  const std::vector<double> range{-60, 70};
  samples.push_back({"histogram.bin_ct", {x, wholeNumbers({5, 4}, 2).abs()}, [=](const Tensors& t) {
                       const auto [counts, edges] = at::histogram(t[0], 5, range, t[1]);
                       return Tensors{counts, edges};
                     }});
  samples.push_back({"histogram.bin_ct of all", {x}, [](const Tensors& t) {
                       const auto [counts, edges] = at::histogram(t[0], 5);
                       return Tensors{counts, edges};
                     }});
  samples.push_back({"histogram.bins_tensor", {x, bounds}, [](const Tensors& t) {
                       const auto [counts, edges] = at::histogram(t[0], t[1]);
                       return Tensors{counts, edges};
                     }});
  samples.push_back({"histogram.bins_tensor of shares", {x, bounds}, [](const Tensors& t) {
                       const auto [counts, edges] = at::histogram(t[0], t[1], {}, true);
                       return Tensors{counts, edges};
                     }});
  samples.push_back(sampleOf("_histogramdd_from_bin_cts", wholeNumbers({5, 2}), [](auto& t) {
    return at::_histogramdd_from_bin_cts(t, {3, 4});
  }));
  samples.push_back(sampleOf("take", x, index, [](auto& t, auto& i) { return at::take(t, i); }));
  samples.push_back(sampleOf("put_ over", {x, index, wholeNumbers({5, 2}, 3)},
                             [](const Tensors& t) { return t[0].put_(t[1] - 20, t[2]); }));
  samples.push_back(sampleOf("masked_scatter_ of a row", {x, wholeNumbers({4}, 1).gt(0), x + 1},
                             [](const Tensors& t) { return t[0].masked_scatter_(t[1], t[2]); }));
  samples.push_back(
      sampleOf("gradient of masked_select", x, wholeNumbers({5, 4}, 1).gt(0), [](auto& t, auto& m) {
        const auto leaf = t.detach().requires_grad_(true);
        at::masked_select(leaf, m).square().sum().backward();
        return leaf.grad();
      }));
  samples.push_back(sampleOf("gradient of take", x, index, [](auto& t, auto& i) {
    const auto leaf = t.detach().requires_grad_(true);
    at::take(leaf, i).square().sum().backward();
    return leaf.grad();
  }));
  samples.push_back(sampleOf("put", {x, index, wholeNumbers({5, 2}, 3)}, [](const Tensors& t) {
    return at::put(t[0], t[1], t[2], /*accumulate=*/true);
  }));
  return samples;
}

}  // namespace shardlens
