#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <string>
#include <vector>

namespace shardlens {

// A call of one operator, to be tried under every placement of its tensors.
struct Sample {
  using Tensors = std::vector<at::Tensor>;

  std::string name;  // "sum.dim_IntList keepdim"
  Tensors tensors;   // whole; the call gets them sharded, or as they are
  std::function<Tensors(const Tensors&)> call;

  // How terms of a sum, an average and so on are tried. Ids have none.
  enum class Terms { Tried, None } terms = Terms::Tried;
  // Whether results are equal to the last bit, or nearly so.
  enum class Match { Exact, Near } match = Match::Exact;
};

// One function a family of rules, each in the file of its name.
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

// What plain tensors give; the sample's own are left as they are.
Sample::Tensors plainResults(const Sample& sample);
bool matches(const Sample& sample, const at::Tensor& got, const at::Tensor& expected);

// Multiples of 12 in an order of their own: divided among up to six ranks, their sums are exact.
at::Tensor wholeNumbers(at::IntArrayRef shape, int seed = 0);

// A sample of an operator of one tensor, or two.
Sample sampleOf(std::string name, at::Tensor a, std::function<at::Tensor(const at::Tensor&)> call);
Sample sampleOf(std::string name, at::Tensor a, at::Tensor b,
                std::function<at::Tensor(const at::Tensor&, const at::Tensor&)> call);
// And of several.
Sample sampleOf(std::string name, Sample::Tensors tensors,
                std::function<at::Tensor(const Sample::Tensors&)> call);

}  // namespace shardlens
