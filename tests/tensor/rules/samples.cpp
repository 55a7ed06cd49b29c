#include "tests/tensor/rules/samples.h"

namespace shardlens {

at::Tensor wholeNumbers(at::IntArrayRef shape, int seed) {
  std::int64_t count = 1;
  for (const auto size : shape) count *= size;
  return at::arange(count)
      .mul(7)
      .add(5 * seed)
      .remainder(13)
      .sub(6)
      .mul(12)
      .to(at::kFloat)
      .reshape(shape);
}

Sample sampleOf(std::string name, at::Tensor a, std::function<at::Tensor(const at::Tensor&)> call) {
  return {std::move(name), {std::move(a)}, [call = std::move(call)](const Sample::Tensors& t) {
            return Sample::Tensors{call(t[0])};
          }};
}

Sample sampleOf(std::string name, at::Tensor a, at::Tensor b,
                std::function<at::Tensor(const at::Tensor&, const at::Tensor&)> call) {
  return {std::move(name),
          {std::move(a), std::move(b)},
          [call = std::move(call)](const Sample::Tensors& t) {
            return Sample::Tensors{call(t[0], t[1])};
          }};
}

Sample sampleOf(std::string name, Sample::Tensors tensors,
                std::function<at::Tensor(const Sample::Tensors&)> call) {
  return {std::move(name), std::move(tensors),
          [call = std::move(call)](const auto& t) { return Sample::Tensors{call(t)}; }};
}

std::vector<Sample> allSamples() {
  std::vector<Sample> all;
  for (const auto family :
       {activationSamples, attentionSamples, batchedSamples,   complexSamples, convolutionSamples,
        embeddingSamples,  fftSamples,       factorySamples,   gatherSamples,  layerNormSamples,
        lookupSamples,     lossSamples,      matmulSamples,    normSamples,    pointwiseLossSamples,
        pointwiseSamples,  randomSamples,    reductionSamples, segmentSamples, spatialSamples,
        trilinearSamples,  viewSamples}) {
    for (auto& sample : family()) all.push_back(std::move(sample));
  }
  return all;
}

Sample::Tensors plainResults(const Sample& sample) {
  Sample::Tensors copies;
  for (const auto& tensor : sample.tensors) copies.push_back(tensor.clone());
  return sample.call(copies);
}

bool matches(const Sample& sample, const at::Tensor& got, const at::Tensor& expected) {
  if (got.sizes() != expected.sizes() || got.dtype() != expected.dtype()) return false;
  if (sample.match == Sample::Match::Exact || at::isIntegralType(expected.scalar_type(), true)) {
    return at::equal(got, expected);
  }
  return at::allclose(got, expected, 1e-5, 1e-6, /*equal_nan=*/true);
}

Sample nearly(Sample sample) {
  sample.match = Sample::Match::Near;
  return sample;
}

}  // namespace shardlens
