// The fake of CUDA differs from the processor where a GPU does.

#include "tests/tensor/gpu/fake_cuda.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace shardlens {
namespace {

// Before anything asks torch about CUDA, because torch caches the answer.
const bool kIsInstalled = (fake_cuda::install(), true);

at::Tensor onGpu(const at::Tensor& tensor, int index = 0) {
  EXPECT_TRUE(kIsInstalled);
  return tensor.to(at::Device(at::kCUDA, static_cast<at::DeviceIndex>(index)));
}

template <class Call>
std::string errorOf(Call call) {
  try {
    call();
  } catch (const c10::Error& error) {
    return error.what_without_backtrace();
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "no error";
}

TEST(FakeCuda, RunsOperatorsAndViewsOnTheProcessor) {
  const auto a = at::arange(6).to(at::kFloat).view({2, 3});
  const auto b = onGpu(a);
  EXPECT_TRUE(b.is_cuda());
  EXPECT_TRUE(at::equal((b * 2 + 1).t().contiguous().cpu(), (a * 2 + 1).t()));
  b.select(0, 1).zero_();
  EXPECT_EQ(b.sum().item<float>(), 3);
}

TEST(FakeCuda, MultiTensorOperatorsWriteIntoTheMemoryOfLazyClones) {
  const auto original = onGpu(at::ones({4}));
  const auto clone = at::_lazy_clone(original);
  at::Tensor(clone).add_(1);
  EXPECT_EQ(original.sum().item<float>(), 4);
  const auto other = at::_lazy_clone(original);
  at::_foreach_add_({other}, 1);
  EXPECT_EQ(original.sum().item<float>(), 8);
}

TEST(FakeCuda, RefusesAGridOfNoBlocks) {
  auto table = onGpu(at::ones({3, 2}));
  const auto none = onGpu(at::empty({0}, at::kLong));
  EXPECT_EQ(errorOf([&] { at::embedding_renorm_(table, none, 1, 2); }),
            "CUDA error: invalid argument");
}

TEST(FakeCuda, DrawsNoNumbers) {
  EXPECT_EQ(errorOf([&] { onGpu(at::ones({3})).normal_(); }),
            "aten::normal_: a GPU draws other numbers than the processor");
}

TEST(FakeCuda, DoesNotMixDevices) {
  const auto first = onGpu(at::ones({3})), second = onGpu(at::ones({3}), 1);
  EXPECT_NE(errorOf([&] { at::add(first, second); }), "no error");
  EXPECT_NE(errorOf([&] { at::add(first, at::ones({3})); }), "no error");
  EXPECT_EQ((first + at::ones({})).sum().item<float>(), 6);
}

TEST(FakeCuda, CollectivesRefuseTheHostsMemory) {
  const auto comm = fake_cuda::communicator(2);
  const GroupSet everyone{"", 0, {{0, 1}}};
  const Buffers host{at::ones({2}), at::ones({2})};
  EXPECT_EQ(errorOf([&] { comm->allReduce(everyone, host, host, {ReduceOp::Sum}); }),
            "a collective got a buffer on cpu, expected cuda:0");
  const Buffers buffers{onGpu(host[0]), onGpu(host[1], 1)};
  comm->allReduce(everyone, buffers, buffers, {ReduceOp::Sum});
  EXPECT_EQ(buffers[1].sum().item<float>(), 4);
}

}  // namespace
}  // namespace shardlens
