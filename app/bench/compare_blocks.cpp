#include "app/bench/comparisons.h"
#include "app/bench/samples.h"
#include "core/tensor/dispatch/make_runtime.h"
#include "core/tensor/distribute.h"
#include "core/tensor/redistribute/redistribute.h"

#include <ATen/ATen.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>

namespace shardlens {
namespace {

using nlohmann::json;

constexpr int kTurns = 15;
constexpr int kRanks = 4;
constexpr double kTimesFaster = 8;  // at least

// A block of a network on simulated ranks, run forward and backward. peers/blocks.py has the same
// blocks.
class Block {
 public:
  virtual ~Block() = default;

  void call() {
    const auto y = x_ + made();
    (y * y).sum().backward();
    for (auto& weight : weights_) weight.mutable_grad() = at::Tensor();
  }

 protected:
  Block(at::IntArrayRef shape, Placement placement)
      : x_(distributed(shape, std::move(placement))) {}

  virtual at::Tensor made() const = 0;

  at::Tensor weight(at::IntArrayRef shape, Placement placement) {
    weights_.push_back(distributed(shape, std::move(placement)).requires_grad_());
    return weights_.back();
  }
  const at::Tensor& x() const { return x_; }

 private:
  at::Tensor distributed(at::IntArrayRef shape, Placement placement) const {
    return distribute(runtime_, at::randn(shape).mul(0.1), {std::move(placement)});
  }

  std::shared_ptr<Runtime> runtime_ = makeSimulatedRuntime(DeviceMesh::make({kRanks}).value());
  at::Tensor x_;
  std::vector<at::Tensor> weights_;
};

// Two convolutions on images that are sharded on the batch dimension.
class Convolution final : public Block {
 public:
  Convolution() : Block({4, 16, 8, 8}, Shard{0}) {
    for (auto& layer : layers_) {
      layer = {weight({16, 16, 3, 3}, Replicate{}), weight({16}, Replicate{})};
    }
  }

 private:
  struct Layer {
    at::Tensor weight, bias;
  };

  at::Tensor made() const override {
    const auto convolved = [](const at::Tensor& x, const Layer& layer) {
      return at::conv2d(x, layer.weight, layer.bias, 1, 1);
    };
    return convolved(convolved(x(), layers_[0]).relu(), layers_[1]);
  }

  Layer layers_[2];
};

// Attention sharded by heads.
class Attention final : public Block {
 public:
  Attention() : Block({kLength, kWidth}, Replicate{}) {
    for (auto& each : inward_) each = weight({kWidth, kWidth}, Shard{0});
    outward_ = weight({kWidth, kWidth}, Shard{1});
  }

 private:
  static constexpr std::int64_t kLength = 64, kWidth = 64, kHeads = 8;

  at::Tensor byHeads(const at::Tensor& weight) const {
    return at::linear(x(), weight).view({kLength, kHeads, -1}).transpose(0, 1);
  }

  at::Tensor made() const override {
    const auto query = byHeads(inward_[0]), key = byHeads(inward_[1]), value = byHeads(inward_[2]);
    const double scale = std::sqrt(static_cast<double>(kHeads) / kWidth);
    const auto scores = at::bmm(query, key.transpose(1, 2)).mul(scale);
    const auto joined = at::bmm(at::softmax(scores, -1), value).transpose(0, 1);
    return redistribute(at::linear(joined.reshape({kLength, kWidth}), outward_), {Replicate{}});
  }

  at::Tensor inward_[3], outward_;
};

Result<json> compare(Peer& peer, Clock clock, const char* name, Block& block) {
  Samples theirs, ours, ratios;
  json samples = json::array();
  for (int turn = 0; turn < kTurns; ++turn) {
    json sample = {{"block", name}};
    auto answer = peer.ask(sample);
    if (!answer) return answer;
    if (answer->contains("refused")) return fail("DTensor: " + answer->at("refused").dump());
    block.call();  // warms up, as the peer does
    const Taken taken = meanOf([&] { block.call(); });
    const auto peers = answer->get<Taken>().by(clock);
    theirs.add(peers / 1e3);
    ours.add(taken.by(clock) / 1e3);
    ratios.add(peers / taken.by(clock));
    sample.update({{"peer", *answer}, {"ours", taken}});
    samples.push_back(std::move(sample));
  }
  fmt::print("  {:<12} {:>22} {:>22} {:>22} {:>6.0f} {}\n", name, theirs.text(1), ours.text(2),
             ratios.text(1), kTimesFaster, ratios.median() >= kTimesFaster ? "met" : "MISSED");
  return samples;
}

}  // namespace

Result<json> compareBlocks(Peer& peer, Clock clock) {
  fmt::print("\nblocks of networks on {} ranks, forward and backward, {} time in milliseconds\n",
             kRanks, clockName(clock));
  fmt::print("  {:<12} {:>22} {:>22} {:>22} {:>6}\n", "", "DTensor's", "ours", "times faster",
             "least");
  Convolution convolution;
  auto samples = compare(peer, clock, "convolution", convolution);
  if (!samples) return samples;
  Attention attention;
  const auto more = compare(peer, clock, "attention", attention);
  if (!more) return more;
  samples->insert(samples->end(), more->begin(), more->end());
  return samples;
}

}  // namespace shardlens
