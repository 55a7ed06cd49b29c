// Compares running statistics, which are updated in place, with those of plain tensors.

#include "core/tensor/dtensor.h"
#include "tests/tensor/ranks.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace shardlens {
namespace {

struct Statistics {
  at::Tensor mean, variance;
};

Statistics startOf(std::int64_t channels) {
  return {at::arange(channels).to(at::kFloat), at::ones({channels})};
}

at::Tensor images() { return at::arange(5 * 4 * 3).remainder(7).to(at::kFloat).view({5, 4, 3}); }

void normalize(const at::Tensor& x, const Statistics& running) {
  at::native_batch_norm(x, {}, {}, running.mean, running.variance, /*training=*/true, 0.25, 1e-5);
}

void expectInStep(const std::vector<int>& mesh, const Placements& x, const Placements& channels) {
  const auto plain = startOf(4), whole = startOf(4);
  normalize(images(), plain);
  const auto runtime = ranks(mesh);
  const Statistics running{distribute(runtime, whole.mean, channels),
                           distribute(runtime, whole.variance, channels)};
  normalize(distribute(runtime, images(), x), running);
  for (const auto& [got, expected] :
       {std::pair{running.mean, plain.mean}, std::pair{running.variance, plain.variance}}) {
    EXPECT_EQ(specOf(got).placements, channels);
    EXPECT_TRUE(at::allclose(shardlens::whole(got), expected));
    if (!std::all_of(channels.begin(), channels.end(), isReplicate)) continue;
    for (const auto& local : dtensorImpl(got).locals()) {
      EXPECT_TRUE(at::equal(local, dtensorImpl(got).locals().front()));
    }
  }
}

TEST(BatchNorm, RunningStatisticsAreOfAllImagesOnAllRanks) {
  expectInStep({2}, {Shard{0}}, {Replicate{}});
  expectInStep({3}, {Shard{2}}, {Replicate{}});
  expectInStep({2, 2}, {Shard{0}, Shard{2}}, {Replicate{}, Replicate{}});
  expectInStep({7}, {Shard{0}}, {Replicate{}});  // two ranks have no image
}

TEST(BatchNorm, RunningStatisticsOfChannelsAreTheirRanks) {
  expectInStep({2}, {Shard{1}}, {Shard{0}});
  expectInStep({3}, {Shard{1}}, {Shard{0}});  // one rank has no channel
  expectInStep({2, 2}, {Shard{0}, Shard{1}}, {Replicate{}, Shard{0}});
}

TEST(BatchNorm, ImagesComeToWhereRunningStatisticsLie) {
  expectInStep({2}, {Shard{1}}, {Replicate{}});
  expectInStep({2}, {Shard{0}}, {Shard{0}});
}

TEST(BatchNorm, NeedsNoRunningStatistics) {
  const auto normalized = [](const at::Tensor& x) {
    return at::batch_norm(x, {}, {}, {}, {}, /*training=*/true, 0.25, 1e-5,
                          /*cudnn_enabled=*/false);
  };
  const auto runtime = ranks({2});
  EXPECT_TRUE(at::allclose(whole(normalized(distribute(runtime, images(), {Shard{0}}))),
                           normalized(images()), 1e-5, 1e-6));
}

TEST(BatchNorm, PartialsOfRunningStatisticsAreRefused) {
  const auto runtime = ranks({2});
  const auto start = startOf(4);
  const Statistics running{distribute(runtime, start.mean, {Partial{}}),
                           distribute(runtime, start.variance, {Partial{}})};
  EXPECT_EQ(refusalOf([&] { normalize(distribute(runtime, images(), {Shard{0}}), running); }),
            "batch_norm: got running_mean under (P(sum)) and running_var under (P(sum)), expected "
            "equal placements without partial values, because both are written");
}

TEST(BatchNorm, RunningStatisticsOfDifferentPlacementsAreRefused) {
  const auto runtime = ranks({2});
  const auto start = startOf(4);
  const Statistics running{distribute(runtime, start.mean, {Shard{0}}),
                           distribute(runtime, start.variance, {Replicate{}})};
  EXPECT_THROW(normalize(distribute(runtime, images(), {Shard{0}}), running), Refusal);
}

}  // namespace
}  // namespace shardlens
