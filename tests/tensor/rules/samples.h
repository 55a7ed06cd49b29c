#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <string>
#include <vector>

namespace shardlens {

// A call of one operator. The tests run it under all placements of its tensors.
struct Sample {
  using Tensors = std::vector<at::Tensor>;

  std::string name;  // "sum.dim_IntList keepdim"
  Tensors tensors;   // plain; the call gets clones of them, plain or sharded
  std::function<Tensors(const Tensors&)> call;

  // Whether the inputs are also tried as partial values. Ids are not.
  enum class Terms { Tried, None } terms = Terms::Tried;
  // Whether results must be equal bit by bit, or nearly so. Integers are always compared exactly.
  enum class Match { Exact, Near } match = Match::Exact;
};

// One function per family of rules, each in the file of that name.
std::vector<Sample> activationSamples();
std::vector<Sample> attentionSamples();
std::vector<Sample> batchedSamples();
std::vector<Sample> complexSamples();
std::vector<Sample> convolutionSamples();
std::vector<Sample> embeddingSamples();
std::vector<Sample> factorySamples();
std::vector<Sample> fftSamples();
std::vector<Sample> gatherSamples();
std::vector<Sample> layerNormSamples();
std::vector<Sample> lookupSamples();
std::vector<Sample> lossSamples();
std::vector<Sample> matmulSamples();
std::vector<Sample> normSamples();
std::vector<Sample> pointwiseSamples();
std::vector<Sample> pointwiseLossSamples();
std::vector<Sample> randomSamples();
std::vector<Sample> reductionSamples();
std::vector<Sample> segmentSamples();
std::vector<Sample> spatialSamples();
std::vector<Sample> trilinearSamples();
std::vector<Sample> viewSamples();
std::vector<Sample> allSamples();

// Returns the results on plain clones of the sample's tensors.
Sample::Tensors plainResults(const Sample& sample);
// Returns true if shape and dtype are equal, and the values as Sample::match demands.
bool matches(const Sample& sample, const at::Tensor& got, const at::Tensor& expected);

// Returns multiples of 12 from -72 to 72, in a permuted order. They stay integers if 2, 3, 4 or 6
// ranks share them, so sums are exact.
at::Tensor wholeNumbers(at::IntArrayRef shape, int seed = 0);

// Return a sample with one result, for an operator of one, two or several tensors.
Sample sampleOf(std::string name, at::Tensor a, std::function<at::Tensor(const at::Tensor&)> call);
Sample sampleOf(std::string name, at::Tensor a, at::Tensor b,
                std::function<at::Tensor(const at::Tensor&, const at::Tensor&)> call);
Sample sampleOf(std::string name, Sample::Tensors tensors,
                std::function<at::Tensor(const Sample::Tensors&)> call);

// The same sample, whose results may differ by rounding.
Sample nearly(Sample sample);

}  // namespace shardlens
