#include "tests/tensor/rules/samples.h"

namespace shardlens {
namespace {

at::Tensor indices(at::IntArrayRef shape, std::int64_t below, int seed = 0) {
  return wholeNumbers(shape, seed).abs().to(at::kLong).div(12, "trunc").remainder(below);
}

}  // namespace

std::vector<Sample> gatherSamples() {
  const auto a = wholeNumbers({5, 4});
  const auto source = wholeNumbers({5, 4}, 2);
  const auto rows = indices({3}, 5);
  const auto gathered = [](std::string name, const at::Tensor& a, const at::Tensor& index,
                           std::int64_t dim) {
    return sampleOf(std::move(name), a, index,
                    [dim](auto& x, auto& i) { return at::gather(x, dim, i); });
  };
  std::vector<Sample> samples = {
      gathered("gather", a, indices({5, 4}, 5), 0),
      gathered("gather of one row", a, indices({1, 4}, 5), 0),
      gathered("gather of one column", a, indices({5, 1}, 4), 1),
      // A shorter index reads only part of the other dimension.
      gathered("gather of fewer rows", a, indices({3, 2}, 4), 1),
      gathered("gather of nothing", a, at::empty({0}, at::kByte).reshape({0, 4}), 0),
      gathered("gather of no dimension", at::scalar_tensor(12.0), indices({}, 1), 0),
      sampleOf("index_select", a, rows, [](auto& x, auto& i) { return at::index_select(x, 0, i); }),
      sampleOf("index.Tensor", a, rows, [](auto& x, auto& i) { return at::index(x, {i}); }),
      sampleOf("index.Tensor after a slice", a, indices({3, 2}, 4),
               [](auto& x, auto& i) {
                 return at::index(x, {std::optional<at::Tensor>(), std::optional(i)});
               }),
      sampleOf("index_fill.int_Scalar", a, rows,
               [](auto& x, auto& i) { return at::index_fill(x, 0, i, 24); }),
  };
  const auto three = [&](std::string name, at::Tensor index, at::Tensor last, auto call) {
    samples.push_back(
        {std::move(name), {a, std::move(index), std::move(last)}, [call](const Sample::Tensors& t) {
           return Sample::Tensors{call(t[0], t[1], t[2])};
         }});
  };
  three("scatter.src", at::arange(5).view({5, 1}).expand({5, 4}).contiguous(), source,
        [](auto& x, auto& i, auto& s) { return at::scatter(x, 0, i, s); });
  three("scatter of fewer rows", at::arange(3).view({3, 1}).expand({3, 2}).contiguous(), source,
        [](auto& x, auto& i, auto& s) { return at::scatter(x, 0, i, s); });
  three("scatter_add", indices({5, 4}, 4), source,
        [](auto& x, auto& i, auto& s) { return at::scatter_add(x, 1, i, s); });
  three("scatter_add_", indices({5, 4}, 4), source,
        [](auto& x, auto& i, auto& s) { return at::Tensor(x).scatter_add_(1, i, s); });
  three("index_add", rows, wholeNumbers({3, 4}, 3),
        [](auto& x, auto& i, auto& s) { return at::index_add(x, 0, i, s); });
  three("index_put", at::arange(1, 4), wholeNumbers({3, 4}, 3),
        [](auto& x, auto& i, auto& s) { return at::index_put(x, {i}, s); });
  three("index_put that adds", rows, wholeNumbers({4}, 3),
        [](auto& x, auto& i, auto& s) { return at::index_put(x, {i}, s, /*accumulate=*/true); });
  const auto filled = [](auto& x, auto& m, auto& s) { return at::index_put(x, {m}, s); };
  three("index_put under a mask", a.gt(0), at::scalar_tensor(24.0), filled);
  three("index_put under a mask of rows", a.select(1, 1).gt(0), at::scalar_tensor(24.0), filled);
  three("index.Tensor of two", indices({3, 1}, 5), indices({1, 2}, 4, 1),
        [](auto& x, auto& i, auto& j) {
          return at::index(x, {i, j});
        });
  const auto mask = indices({3, 4}, 2).to(at::kBool);
  samples.push_back(sampleOf("_unsafe_masked_index", {a, mask, rows}, [](const Sample::Tensors& t) {
    return at::_unsafe_masked_index(t[0], t[1], {t[2]}, 24);
  }));
  samples.push_back(sampleOf("_unsafe_masked_index_put_accumulate",
                             {a, mask, rows, wholeNumbers({3, 4}, 3)}, [](const auto& t) {
                               return at::_unsafe_masked_index_put_accumulate(t[0], t[1], {t[2]},
                                                                              t[3]);
                             }));
  return samples;
}

}  // namespace shardlens
