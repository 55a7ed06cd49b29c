#include "core/tensor/masking/mask_buffer.h"

#include "tests/tensor/ranks.h"

namespace shardlens {
namespace {

at::Tensor mask(std::vector<std::int64_t> bits) { return at::tensor(bits).to(at::kBool); }

TEST(MaskBuffer, CountsHoldersOfTheSameMask) {
  MaskBuffer buffer;
  buffer.materialize({mask({1, 0})});
  buffer.materialize({mask({1, 0})});
  EXPECT_EQ(buffer.refcount(), 2);
  buffer.release();
  EXPECT_EQ(buffer.refcount(), 1);
  EXPECT_TRUE(at::equal(buffer.data().front(), mask({1, 0})));
  buffer.release();
  EXPECT_EQ(buffer.refcount(), 0);
  EXPECT_TRUE(buffer.data().empty());
}

TEST(MaskBuffer, RefusesAnotherMaskWhileItIsHeld) {
  MaskBuffer buffer;
  buffer.materialize({mask({1, 0})});
  EXPECT_EQ(refusalOf([&] {
              buffer.materialize({mask({0, 1})});
            }),
            "MaskBuffer has been materialized with conflicting data");
  EXPECT_EQ(buffer.refcount(), 1);
  buffer.release();
  buffer.materialize({mask({0, 1})});
  EXPECT_TRUE(at::equal(buffer.data().front(), mask({0, 1})));
}

// Masks without data are compared by their shapes only.
TEST(MaskBuffer, HoldsNoMaskOfAnotherShape) {
  const auto withoutData = [](std::int64_t size) {
    return at::empty({size}, at::TensorOptions(at::kMeta).dtype(at::kBool));
  };
  MaskBuffer buffer;
  buffer.materialize({withoutData(2)});
  EXPECT_TRUE(buffer.holds({withoutData(2)}));
  EXPECT_FALSE(buffer.holds({withoutData(3)}));
}

TEST(MaskBuffer, RefusesToServeBeforeItIsMaterializedAndAfterTheLastRelease) {
  const std::string expected = "MaskBuffer has not been materialized";
  MaskBuffer buffer;
  EXPECT_EQ(refusalOf([&] { buffer.apply({at::ones({2, 3})}); }), expected);
  EXPECT_EQ(refusalOf([&] { buffer.release(); }), expected);
  buffer.materialize({mask({1, 0})});
  buffer.retain();
  EXPECT_EQ(buffer.refcount(), 2);
  buffer.release();
  buffer.release();
  EXPECT_EQ(refusalOf([&] { buffer.retain(); }), expected);
  EXPECT_EQ(refusalOf([&] { buffer.apply({at::ones({2, 3})}); }), expected);
  EXPECT_EQ(refusalOf([&] { buffer.release(); }), expected);
}

// A cache's buffer (emulation) may lose its last holder while masked ids still refer to it. Their
// next lookup would otherwise get a buffer without masks.
TEST(MaskHold, IsNotRenewedAfterItsMasksWereDropped) {
  const auto recorder = std::make_shared<Recorder>();
  const auto record = std::make_shared<MaskRecord>(Emulation::Torch215);
  record->buffer.materialize({mask({1, 0})});
  EmulatedHold hold(record, recorder);
  hold.again("z")->release();
  hold.release();
  EXPECT_EQ(refusalOf([&] { hold.again("w"); }), "MaskBuffer has not been materialized");
}

TEST(MaskBuffer, ThatDoesNotCountServesOneHolder) {
  MaskBuffer buffer(Sharing::None);
  buffer.materialize({mask({1, 0})});
  for (const auto& other : {mask({1, 0}), mask({0, 1})}) {
    EXPECT_EQ(refusalOf([&] { buffer.materialize({other}); }),
              "MaskBuffer has already been materialized");
  }
  EXPECT_EQ(refusalOf([&] { buffer.retain(); }), "MaskBuffer has already been materialized");
  buffer.release();
  EXPECT_EQ(refusalOf([&] { buffer.release(); }), "MaskBuffer has not been materialized");
  buffer.materialize({mask({0, 1})});
  EXPECT_TRUE(at::equal(buffer.data().front(), mask({0, 1})));
}

TEST(MaskBuffer, RefusesATensorOfAnotherShapeInDTensorsWords) {
  MaskBuffer buffer;
  buffer.materialize({mask({1, 0, 0, 1, 0, 0}).reshape({2, 3})});
  try {
    buffer.apply({at::ones({6, 11})});
    FAIL() << "nothing was refused";
  } catch (const c10::IndexError& error) {
    EXPECT_STREQ(error.what_without_backtrace(),
                 "The shape of the mask [2, 3] at index 0 does not match the shape of the indexed "
                 "tensor [6, 11] at index 0: got a tensor of shape [6, 11], expected one whose "
                 "first dimensions are [2, 3]");
  }
}

TEST(MaskBuffer, MasksIdsOfOneToFiveDimensions) {
  const std::vector<std::int64_t> sizes{2, 3, 1, 2, 2};
  for (std::size_t dims = 1; dims <= sizes.size(); ++dims) {
    const at::IntArrayRef shape(sizes.data(), dims);
    const auto count = at::ones(shape).numel();
    const auto bits = at::arange(count).remainder(2).to(at::kBool);
    MaskBuffer buffer;
    buffer.materialize({bits.reshape(shape)});
    auto rows = shape.vec();
    rows.push_back(4);
    const auto tensor = at::ones(rows);
    buffer.apply({tensor});
    EXPECT_TRUE(at::equal(tensor.reshape({count, 4}),
                          bits.logical_not().to(at::kFloat).unsqueeze(1).expand({count, 4})))
        << dims;
  }
}

TEST(MaskBuffer, ZeroesWholeRowsOrElementsOfEachRank) {
  MaskBuffer buffer;
  buffer.materialize({mask({1, 0}), mask({0, 1})});
  const Buffers rows{at::ones({2, 3}), at::ones({2, 3})};
  buffer.apply(rows);
  EXPECT_TRUE(
      at::equal(rows[0], at::tensor({0., 0., 0., 1., 1., 1.}).reshape({2, 3}).to(at::kFloat)));
  EXPECT_TRUE(
      at::equal(rows[1], at::tensor({1., 1., 1., 0., 0., 0.}).reshape({2, 3}).to(at::kFloat)));
  const Buffers elements{at::ones({2}), at::ones({2})};
  buffer.apply(elements);
  EXPECT_TRUE(at::equal(elements[0], at::tensor({0., 1.}).to(at::kFloat)));
}

}  // namespace
}  // namespace shardlens
