#include "tests/tensor/rules/samples.h"

namespace shardlens {
namespace {

using Tensors = Sample::Tensors;

Tensors listed(const std::tuple<at::Tensor, at::Tensor>& both) {
  return {std::get<0>(both), std::get<1>(both)};
}

// Returns distinct values, so that each maximum has one position.
at::Tensor unlike(at::IntArrayRef shape) {
  std::int64_t count = 1;
  for (const auto size : shape) count *= size;
  return at::arange(count).mul(7).remainder(count + 1).mul(12).to(at::kFloat).reshape(shape);
}

std::vector<Sample> poolingSamples() {
  const auto x = unlike({3, 2, 4, 4}), voxels = unlike({3, 2, 2, 4, 4});
  const auto [pooled, indices] = at::max_pool2d_with_indices(x, {2, 2});
  const auto [pooled3, indices3] = at::max_pool3d_with_indices(voxels, {2, 2, 2});
  return {
      nearly(sampleOf("avg_pool2d", x,
                      [](auto& t) {
                        return at::avg_pool2d(t, {2, 2});
                      })),
      nearly(sampleOf("avg_pool2d of one image", x[0],
                      [](auto& t) {
                        return at::avg_pool2d(t, {2, 2});
                      })),
      nearly(sampleOf("avg_pool3d", voxels,
                      [](auto& t) {
                        return at::avg_pool3d(t, {2, 2, 2});
                      })),
      nearly(
          sampleOf("avg_pool2d_backward", unlike({3, 2, 2, 2}), x,
                   [](auto& g, auto& t) {
                     return at::avg_pool2d_backward(g, t, {2, 2}, {2, 2}, {0, 0}, false, true, {});
                   })),
      nearly(sampleOf("_adaptive_avg_pool2d", x,
                      [](auto& t) {
                        return at::_adaptive_avg_pool2d(t, {3, 2});
                      })),
      nearly(sampleOf("_adaptive_avg_pool3d_backward", unlike({3, 2, 1, 2, 2}), voxels,
                      [](auto& g, auto& t) { return at::_adaptive_avg_pool3d_backward(g, t); })),
      {"max_pool2d_with_indices",
       {x},
       [](auto& t) {
         return listed(at::max_pool2d_with_indices(t[0], {2, 2}));
       }},
      {"max_pool3d_with_indices",
       {voxels},
       [](auto& t) {
         return listed(at::max_pool3d_with_indices(t[0], {2, 2, 2}));
       }},
      {"adaptive_max_pool2d",
       {x},
       [](auto& t) {
         return listed(at::adaptive_max_pool2d(t[0], {3, 3}));
       }},
      sampleOf("max_pool2d_with_indices_backward", {pooled, x, indices},
               [](auto& t) {
                 return at::max_pool2d_with_indices_backward(t[0], t[1], {2, 2}, {2, 2}, {0, 0},
                                                             {1, 1}, false, t[2]);
               }),
      sampleOf("max_pool3d_with_indices_backward", {pooled3, voxels, indices3},
               [](auto& t) {
                 return at::max_pool3d_with_indices_backward(t[0], t[1], {2, 2, 2}, {2, 2, 2},
                                                             {0, 0, 0}, {1, 1, 1}, false, t[2]);
               }),
      sampleOf("max_unpool2d", pooled, indices,
               [](auto& t, auto& i) {
                 return at::max_unpool2d(t, i, {4, 4});
               }),
      sampleOf("max_unpool3d", pooled3, indices3,
               [](auto& t, auto& i) {
                 return at::max_unpool3d(t, i, {2, 4, 4}, {2, 2, 2}, {0, 0, 0});
               }),
  };
}

std::vector<Sample> paddingSamples() {
  const auto x = wholeNumbers({3, 2, 4, 4}), gradient = wholeNumbers({3, 2, 4, 7});
  return {
      sampleOf("reflection_pad1d", wholeNumbers({3, 2, 4}),
               [](auto& t) {
                 return at::reflection_pad1d(t, {1, 2});
               }),
      sampleOf("reflection_pad2d", x,
               [](auto& t) {
                 return at::reflection_pad2d(t, {1, 2, 0, 1});
               }),
      sampleOf("reflection_pad2d_backward", gradient, x,
               [](auto& g, auto& t) {
                 return at::reflection_pad2d_backward(g, t, {1, 2, 0, 0});
               }),
      sampleOf("replication_pad2d", x,
               [](auto& t) {
                 return at::replication_pad2d(t, {1, 2, 0, 1});
               }),
      sampleOf("replication_pad2d_backward", gradient, x,
               [](auto& g, auto& t) {
                 return at::replication_pad2d_backward(g, t, {1, 2, 0, 0});
               }),
  };
}

std::vector<Sample> resamplingSamples() {
  const auto x = wholeNumbers({3, 2, 4, 4});
  const auto grid = wholeNumbers({3, 3, 3, 2}, 1).div(64);  // partial values add up exactly
  return {
      sampleOf("upsample_nearest2d", x,
               [](auto& t) {
                 return at::upsample_nearest2d(t, at::IntArrayRef{6, 5});
               }),
      nearly(sampleOf("upsample_bilinear2d", x,
                      [](auto& t) {
                        return at::upsample_bilinear2d(t, at::IntArrayRef{6, 5}, false);
                      })),
      nearly(sampleOf("upsample_bilinear2d_backward", wholeNumbers({3, 2, 6, 5}),
                      [](auto& t) {
                        return at::upsample_bilinear2d_backward(t, {6, 5}, {3, 2, 4, 4}, false);
                      })),
      nearly(sampleOf("grid_sampler_2d", x, grid,
                      [](auto& t, auto& g) { return at::grid_sampler_2d(t, g, 0, 0, false); })),
      nearly({"grid_sampler_2d_backward",
              {wholeNumbers({3, 2, 3, 3}), x, grid},
              [](auto& t) {
                return listed(
                    at::grid_sampler_2d_backward(t[0], t[1], t[2], 0, 0, false, {true, true}));
              }}),
      nearly({"grid_sampler_2d_backward to the grid",
              {wholeNumbers({3, 2, 3, 3}), x, grid},
              [](auto& t) {
                return Tensors{std::get<1>(
                    at::grid_sampler_2d_backward(t[0], t[1], t[2], 0, 0, false, {false, true}))};
              }}),
  };
}

std::vector<Sample> regroupingSamples() {
  return {
      sampleOf("im2col", wholeNumbers({3, 6, 4, 4}),
               [](auto& t) {
                 return at::im2col(t, {2, 2}, {1, 1}, {1, 0}, {2, 1});
               }),
      sampleOf("im2col of one image", wholeNumbers({4, 4, 4}),
               [](auto& t) {
                 return at::im2col(t, {2, 2}, {1, 1}, {0, 0}, {2, 2});
               }),
      sampleOf("col2im", wholeNumbers({3, 24, 4}),
               [](auto& t) {
                 return at::col2im(t, {3, 3}, {2, 2}, {1, 1}, {0, 0}, {1, 1});
               }),
      sampleOf("pixel_shuffle", wholeNumbers({3, 24, 2, 6}),
               [](auto& t) { return at::pixel_shuffle(t, 2); }),
      sampleOf("pixel_unshuffle", wholeNumbers({2, 3, 4, 12}),
               [](auto& t) { return at::pixel_unshuffle(t, 2); }),
      sampleOf("channel_shuffle", wholeNumbers({3, 6, 4}),
               [](auto& t) { return at::channel_shuffle(t, 2); }),
  };
}

}  // namespace

std::vector<Sample> spatialSamples() {
  std::vector<Sample> all;
  for (const auto group : {poolingSamples, paddingSamples, resamplingSamples, regroupingSamples}) {
    for (auto& sample : group()) all.push_back(std::move(sample));
  }
  return all;
}

}  // namespace shardlens
