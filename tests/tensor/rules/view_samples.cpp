#include "tests/tensor/rules/samples.h"

namespace shardlens {
namespace {

using Tensor = at::Tensor;
using Tensors = Sample::Tensors;

template <class... Sizes>
std::vector<std::int64_t> dims(Sizes... sizes) {
  return {sizes...};
}

Tensors both(const Tensor& x, const Tensor& y) { return {x, y}; }

Sample partsOf(std::string name, Tensor a, std::function<Tensors(const Tensor&)> call) {
  return {std::move(name), {std::move(a)}, [call = std::move(call)](const Tensors& t) {
            return call(t[0]);
          }};
}

// Changes a clone in place. Results: an alias of the original, the changed tensor, and its double.
Sample inPlace(std::string name, const Tensor& a, std::function<void(Tensor&)> call) {
  return partsOf(std::move(name), a, [call = std::move(call)](const Tensor& x) {
    auto before = x.alias();
    auto after = x.clone();
    call(after);
    return Tensors{before, after, after + after};
  });
}

}  // namespace

std::vector<Sample> viewSamples() {
  const auto a = wholeNumbers({6, 4});
  const auto b = wholeNumbers({6, 4}, 1);
  const auto one = wholeNumbers({1, 5, 1}, 2);
  const auto cube = wholeNumbers({3, 4, 2}, 3);
  return {
      sampleOf("view flat", a, [](auto& x) { return x.view(dims(24)); }),
      sampleOf("view split", a, [](auto& x) { return x.view(dims(2, 3, 4)); }),
      sampleOf("view inferred", a, [](auto& x) { return x.view(dims(3, -1)); }),
      sampleOf("view flat and split", cube, [](auto& x) { return x.view(dims(6, 4)); }),
      sampleOf("view of a view", cube,
               [](auto& x) { return x.view(dims(12, 2)).view(dims(2, 6, 2)); }),
      sampleOf("view without elements", at::zeros({0, 4}),
               [](auto& x) { return x.view(dims(2, 0)); }),
      sampleOf("_unsafe_view", a, [](auto& x) { return at::_unsafe_view(x, dims(8, 3)); }),
      sampleOf("reshape", cube, [](auto& x) { return x.reshape(dims(2, 12)); }),
      sampleOf("reshape of transposed", a, [](auto& x) { return x.t().reshape(dims(2, 12)); }),
      sampleOf("flatten", cube, [](auto& x) { return x.flatten(1); }),
      sampleOf("unflatten", a, [](auto& x) { return x.unflatten(0, dims(2, 3)); }),
      sampleOf("expand", one, [](auto& x) { return x.expand(dims(2, 3, 5, 1)); }),
      sampleOf("permute", cube, [](auto& x) { return x.permute(dims(2, 0, 1)); }),
      sampleOf("movedim", cube, [](auto& x) { return x.movedim(0, 2); }),
      sampleOf("transpose.int", cube, [](auto& x) { return x.transpose(0, -1); }),
      sampleOf("t", a, [](auto& x) { return x.t(); }),
      sampleOf("squeeze", one, [](auto& x) { return x.squeeze(); }),
      sampleOf("squeeze.dim", one, [](auto& x) { return x.squeeze(0); }),
      sampleOf("squeeze.dim of another", one, [](auto& x) { return x.squeeze(1); }),
      sampleOf("squeeze.dims", one, [](auto& x) { return x.squeeze(dims(0, 2)); }),
      sampleOf("unsqueeze", a, [](auto& x) { return x.unsqueeze(-2); }),
      sampleOf("select.int", cube, [](auto& x) { return x.select(1, -1); }),
      sampleOf("slice.Tensor", cube, [](auto& x) { return x.slice(1, 1, 4, 2); }),
      sampleOf("slice.Tensor whole", cube, [](auto& x) { return x.slice(1, -4, 9); }),
      partsOf("split.Tensor", a, [](auto& x) { return x.split(4, 0); }),
      partsOf("split_with_sizes", a, [](auto& x) { return x.split_with_sizes(dims(1, 3), 1); }),
      partsOf("chunk", a, [](auto& x) { return x.chunk(4, 0); }),
      partsOf("unbind.int", cube, [](auto& x) { return x.unbind(1); }),
      sampleOf("narrow", a, [](auto& x) { return x.narrow(0, 1, 3); }),
      sampleOf("diagonal", cube, [](auto& x) { return x.diagonal(1, 2, 0); }),
      sampleOf("unfold", cube, [](auto& x) { return x.unfold(1, 2, 1); }),
      sampleOf("tril", cube, [](auto& x) { return x.tril(); }),
      sampleOf("triu", cube, [](auto& x) { return x.triu(1); }),
      sampleOf("flip", cube, [](auto& x) { return x.flip(dims(0, -1)); }),
      sampleOf("flip of a number", wholeNumbers({}, 1), [](auto& x) { return x.flip(dims(0)); }),
      sampleOf("roll", cube, [](auto& x) { return x.roll(1, 1); }),
      sampleOf("roll of all", a, [](auto& x) { return x.roll(5); }),
      sampleOf("repeat", a, [](auto& x) { return x.repeat(dims(2, 1, 3)); }),
      sampleOf("tile", a, [](auto& x) { return x.tile(dims(2)); }),
      sampleOf("constant_pad_nd", cube,
               [](auto& x) { return at::constant_pad_nd(x, dims(0, 0, 1, 2), 3); }),
      sampleOf("constant_pad_nd zero", a,
               [](auto& x) { return at::constant_pad_nd(x, dims(1, -1)); }),
      sampleOf("as_strided", a,
               [](auto& x) { return x.as_strided(dims(3, 2), dims(4, 3), 1).clone(); }),
      sampleOf("as_strided_copy", a,
               [](auto& x) { return at::as_strided_copy(x, dims(2, 3), dims(1, 5)); }),
      sampleOf(
          "as_strided_scatter", a, wholeNumbers({2, 2}, 5),
          [](auto& x, auto& y) { return at::as_strided_scatter(x, y, dims(2, 2), dims(7, 2)); }),
      sampleOf("block_diag", a, b, [](auto& x, auto& y) { return at::block_diag(both(x, y)); }),
      sampleOf("_chunk_cat", a, b,
               [](auto& x, auto& y) { return at::_chunk_cat(both(x, y), 0, 2); }),
      sampleOf("permute_copy", cube, [](auto& x) { return at::permute_copy(x, dims(2, 0, 1)); }),
      sampleOf("view_copy", a, [](auto& x) { return at::view_copy(x, dims(24)); }),
      sampleOf("view_copy written on", a,
               [](auto& x) {
                 at::view_copy(x, dims(4, 6)).zero_();
                 return x + 0;
               }),
      sampleOf("squeeze_copy", one, [](auto& x) { return at::squeeze_copy(x); }),
      sampleOf("expand_copy", one, [](auto& x) { return at::expand_copy(x, dims(2, 3, 5, 1)); }),
      sampleOf("narrow_copy", a, [](auto& x) { return at::narrow_copy(x, 0, 1, 3); }),
      partsOf("unbind_copy.int", cube, [](auto& x) { return at::unbind_copy(x, 1); }),
      partsOf("unsafe_split.Tensor", a, [](auto& x) { return at::unsafe_split(x, 4, 0); }),
      sampleOf("diag_embed", a, [](auto& x) { return at::diag_embed(x, 1, 0, 2); }),
      sampleOf("diagonal_scatter", cube, wholeNumbers({4, 2}, 5),
               [](auto& x, auto& y) { return at::diagonal_scatter(x, y, 0, 0, 2); }),
      sampleOf("rot90", cube, [](auto& x) { return at::rot90(x, 1, dims(0, 2)); }),
      inPlace("transpose_", a, [](auto& x) { x.transpose_(0, 1); }),
      inPlace("t_", a, [](auto& x) { x.t_(); }),
      inPlace("squeeze_", one, [](auto& x) { x.squeeze_(); }),
      inPlace("unsqueeze_", a, [](auto& x) { x.unsqueeze_(0); }),
      sampleOf("cat", a, b, [](auto& x, auto& y) { return at::cat(both(x, y), -1); }),
      sampleOf("cat of empty", at::zeros({0}), b,
               [](auto& x, auto& y) { return at::cat(both(x, y), 0); }),
      sampleOf("stack", a, b, [](auto& x, auto& y) { return at::stack(both(x, y), 1); }),
      sampleOf("slice_scatter", a, wholeNumbers({3, 4}, 5),
               [](auto& x, auto& y) { return at::slice_scatter(x, y, 0, 2, 5); }),
      sampleOf("select_scatter", a, wholeNumbers({4}, 5),
               [](auto& x, auto& y) { return at::select_scatter(x, y, 0, 2); }),
  };
}

}  // namespace shardlens
