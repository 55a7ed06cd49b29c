#include "tests/tensor/rules/samples.h"

namespace shardlens {
namespace {

using Transform = at::Tensor (*)(const at::Tensor&);

at::Tensor gradientThrough(const at::Tensor& x, Transform transform) {
  const auto leaf = x.detach().requires_grad_(true);
  transform(leaf).abs().sum().backward();
  return leaf.grad();
}

}  // namespace

std::vector<Sample> fftSamples() {
  const auto x = wholeNumbers({4, 6, 5});
  const auto z = at::complex(x, wholeNumbers({4, 6, 5}, 3));
  std::vector<Sample> all = {
      sampleOf("fft", z, [](auto& t) { return at::fft_fft(t); }),
      sampleOf("fft of the first dimension", z,
               [](auto& t) { return at::fft_fft(t, std::nullopt, 0, "ortho"); }),
      sampleOf("fft of more points", z, [](auto& t) { return at::fft_fft(t, 8); }),
      sampleOf("ifft", z, [](auto& t) { return at::fft_ifft(t); }),
      sampleOf("fft2", z, [](auto& t) { return at::fft_fft2(t); }),
      sampleOf("fftn", z, [](auto& t) { return at::fft_fftn(t); }),
      sampleOf("rfft", x, [](auto& t) { return at::fft_rfft(t); }),
      sampleOf("rfft of the middle", x, [](auto& t) { return at::fft_rfft(t, std::nullopt, 1); }),
      sampleOf("fft of real numbers", x, [](auto& t) { return at::fft_fft(t); }),
      sampleOf("irfft", z, [](auto& t) { return at::fft_irfft(t); }),
      sampleOf("irfft of an odd number", z, [](auto& t) { return at::fft_irfft(t, 7, 1); }),
      sampleOf("hfft", z, [](auto& t) { return at::fft_hfft(t); }),
      sampleOf("fftshift", x, [](auto& t) { return at::fft_fftshift(t); }),
      sampleOf("fft of one signal", z.select(0, 0).select(0, 0).clone(),
               [](auto& t) { return at::fft_fft(t); }),
      sampleOf("gradient of fft", z,
               [](auto& t) {
                 return gradientThrough(t, [](const at::Tensor& y) { return at::fft_fft(y); });
               }),
      sampleOf("gradient of rfft", x,
               [](auto& t) {
                 return gradientThrough(t, [](const at::Tensor& y) { return at::fft_rfft(y); });
               }),
      sampleOf("gradient of irfft", z,
               [](auto& t) {
                 return gradientThrough(t, [](const at::Tensor& y) { return at::fft_irfft(y); });
               }),
  };
  for (auto& sample : all) sample.match = Sample::Match::Near;
  return all;
}

}  // namespace shardlens
