// Ranks on fake GPUs: operators with local kernels that a GPU would refuse or answer otherwise.

#include "core/tensor/local/embedding_bag.h"
#include "tests/tensor/gpu/fake_cuda.h"
#include "tests/tensor/ranks.h"

#include <ATen/CPUGeneratorImpl.h>

namespace shardlens {
namespace {

std::shared_ptr<Runtime> fourOnGpus() {
  return makeRuntime(*DeviceMesh::make({4}), fake_cuda::communicator(4));
}

TEST(RanksOnGpus, RenormaliseWhereARankOwnsNoneOfTheRows) {
  const auto runtime = fourOnGpus();
  const auto rows = ids({0, 1, 0});
  auto expected = numbered({8, 3});
  at::embedding_renorm_(expected, rows, 2, 2);
  for (const char* placement : {"S(0)", "S(1)", "R"}) {
    auto table = distribute(runtime, numbered({8, 3}), placed({placement}));
    at::embedding_renorm_(table, distribute(runtime, rows, placed({"R"})), 2, 2);
    EXPECT_TRUE(at::allclose(whole(table), expected)) << placement;
  }
}

TEST(RanksOnGpus, AgreeWhetherTensorsAreEqual) {
  const auto runtime = fourOnGpus();
  auto other = numbered({8});
  const auto x = distribute(runtime, other, placed({"S(0)"}));
  EXPECT_TRUE(at::equal(x, distribute(runtime, other, placed({"S(0)"}))));
  other[7] += 1;
  EXPECT_FALSE(at::equal(x, distribute(runtime, other, placed({"S(0)"}))));
}

TEST(RanksOnGpus, FindTheBagOfEachIdOnTheirDevice) {
  const at::Device device(at::kCUDA, 1);
  const auto bags = bagOfEach(ids({0, 2, 2}).to(device), 4);
  EXPECT_EQ(bags.device(), device);
  EXPECT_TRUE(at::equal(bags.cpu(), ids({0, 0, 2, 2})));
}

TEST(RanksOnGpus, SetDataTakesTheDeviceOfTheOther) {
  const auto all = fourOnGpus();
  const auto second = all->over(*DeviceMesh::make({1}, {}, {1}));
  const auto x = distribute(all, numbered({4}), placed({"S(0)"}));
  x.set_data(distribute(second, numbered({4}), placed({"S(0)"})));
  EXPECT_EQ(x.device(), at::Device(at::kCUDA, 1));
}

TEST(RanksOnGpus, DrawOnTheCpuIfADeviceIsRequested) {
  const auto x = distribute(fourOnGpus(), numbered({6, 2}), placed({"S(0)"}));
  at::manual_seed(3);
  const auto got = at::rand_like(x, at::TensorOptions(at::Device(at::kCUDA, 0)));
  at::manual_seed(3);
  EXPECT_TRUE(at::equal(whole(got), at::rand({6, 2})));
}

// A CUDA generator as libtorch passes it: on another device than the CPU.
class OtherGenerator final : public at::CPUGeneratorImpl {
 public:
  OtherGenerator() { device_ = at::Device(at::kCUDA, 0); }
};

TEST(RanksOnGpus, RefuseACudaGeneratorByName) {
  const auto x = distribute(fourOnGpus(), numbered({4}).remainder(2), placed({"S(0)"}));
  const at::Generator generator(c10::make_intrusive<OtherGenerator>());
  const std::string expected =
      "generator: got one of the device cuda:0, expected one of the CPU: numbers are drawn there "
      "on every backend, so that all backends draw the same";
  EXPECT_EQ(refusalOf([&] { at::Tensor(x).normal_(0, 1, generator); }), expected);
  EXPECT_EQ(refusalOf([&] { at::Tensor(x).uniform_(0, 1, generator); }), expected);
  EXPECT_EQ(refusalOf([&] { at::Tensor(x).exponential_(1, generator); }), expected);
  EXPECT_EQ(refusalOf([&] { at::bernoulli(x, generator); }), expected);
  EXPECT_EQ(refusalOf([&] { at::bernoulli(x, 0.5, generator); }), expected);
  EXPECT_EQ(refusalOf([&] { at::normal(x, 1, generator); }), expected);
  EXPECT_EQ(refusalOf([&] { at::multinomial(x, 1, false, generator); }), expected);
}

}  // namespace
}  // namespace shardlens
