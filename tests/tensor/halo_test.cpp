// Compares convolutions that are sharded in space, and so exchange halos, with plain ones.

#include "core/trace/records/collective_record.h"
#include "tests/tensor/collectives.h"

namespace shardlens {
namespace {

struct Convolved {
  at::Tensor y, dx, dw, db;
};

// Returns a convolution with its gradients.
Convolved convolved(at::Tensor x, at::Tensor w, at::Tensor b, std::int64_t step) {
  for (auto* input : {&x, &w, &b}) *input = input->detach().requires_grad_();
  const auto y = at::conv2d(x, w, b, step, 1);
  y.mul(y).sum().backward();
  return {y.detach(), x.grad(), w.grad(), b.grad()};
}

void expectInStep(const std::vector<int>& mesh, const Placements& places, std::int64_t step) {
  const Placements whole(mesh.size(), Replicate{});
  const auto x = numbered({2, 2, 9, 8}, 5), w = numbered({3, 2, 3, 3}, 3), b = numbered({3}, 2);
  const auto plain = convolved(x, w, b, step);
  const auto runtime = ranks(mesh);
  const auto got = convolved(distribute(runtime, x, places), distribute(runtime, w, whole),
                             distribute(runtime, b, whole), step);
  EXPECT_EQ(placementsOf(got.y), toText(places));
  EXPECT_EQ(placementsOf(got.dx), toText(places));
  for (const auto& [ours, expected] :
       {std::pair{got.y, plain.y}, {got.dx, plain.dx}, {got.dw, plain.dw}, {got.db, plain.db}}) {
    EXPECT_TRUE(at::allclose(shardlens::whole(ours), expected));
  }
}

TEST(Halo, GivesPlainResultsAndGradients) {
  for (const std::int64_t step : {1, 2}) {
    expectInStep({2}, {Shard{2}}, step);
    expectInStep({3}, {Shard{3}}, step);
    expectInStep({2, 2}, {Shard{2}, Shard{3}}, step);
    expectInStep({2, 2}, {Shard{0}, Shard{2}}, step);
    expectInStep({2, 2}, {Shard{2}, Shard{2}}, step);
  }
}

TEST(Halo, GivesPlainResultsWhereRanksHaveNothing) {
  expectInStep({7}, {Shard{2}}, 1);  // 9 elements, 2 each: two ranks have none
}

class Exchanges : public testing::Test {
 protected:
  std::shared_ptr<Runtime> runtime_ = ranks({2});
  at::Tensor x_ = distribute(runtime_, numbered({1, 2, 8}), placed({"S(2)"}));
  at::Tensor w_ = distribute(runtime_, numbered({2, 2, 3}), placed({"R"}));

  std::string collectives(const std::function<void()>& call) {
    return collectivesOf(*runtime_, call);
  }
  auto gradients(std::array<bool, 3> outputMask) {
    return [this, outputMask] {
      at::convolution_backward(x_, x_, w_, at::IntArrayRef{2}, {1}, {1}, {1}, false, {0}, 1,
                               outputMask);
    };
  }
};

TEST_F(Exchanges, RecordTheirBytesAndReason) {
  Journal journal;
  runtime_->recorder().addSink(journal);
  at::conv1d(x_, w_, {}, 1, 1);
  runtime_->recorder().removeSinks();
  for (EventId id = 1; id <= journal.size(); ++id) {
    const Event event = journal.at(id);
    if (event.kind != EventKind::Collective) continue;
    EXPECT_EQ(journal.name(event), "halo_exchange");
    EXPECT_EQ(event.bytes, 16);  // one element of two channels, in each direction
    EXPECT_EQ(journal.text(event.ranks), "0,1");
    EXPECT_EQ(readCollective(journal.detail(event)).why,
              "dim 2: windows of 3 by steps of 1 reach 1 before a rank's own and 1 after");
  }
  EXPECT_EQ(collectives([&] { at::conv1d(x_, w_, {}, 1, 1); }), "halo_exchange");
}

TEST_F(Exchanges, AreNotWhereWindowsStayAtHome) {
  const auto narrow = distribute(runtime_, numbered({2, 2, 2}), placed({"R"}));
  EXPECT_EQ(collectives([&] { at::conv1d(x_, narrow, {}, 2); }), "");
}

TEST_F(Exchanges, OfGradientsAreThoseThatAreWanted) {
  EXPECT_EQ(collectives(gradients({true, true, true})), "halo_exchange halo_exchange");
  EXPECT_EQ(collectives(gradients({true, false, false})), "halo_exchange");
  EXPECT_EQ(collectives(gradients({false, true, false})), "halo_exchange");
  EXPECT_EQ(collectives(gradients({false, false, true})), "");
}

TEST_F(Exchanges, AreNotOfPartsSmallerThanTheHalo) {
  const auto wide = distribute(runtime_, numbered({1, 1, 4}), placed({"S(2)"}));
  const auto w = distribute(runtime_, numbered({1, 1, 7}), placed({"R"}));
  EXPECT_EQ(collectives([&] { at::conv1d(wide, w, {}, 1, 3); }), "halo_exchange");
  const auto many = ranks({4});
  const auto split = distribute(many, numbered({1, 1, 4}), placed({"S(2)"}));
  const auto same = distribute(many, numbered({1, 1, 7}), placed({"R"}));
  EXPECT_EQ(collectivesOf(*many, [&] { at::conv1d(split, same, {}, 1, 3); }), "all_gather");
}

// A halo exchange is no redistribution of a tensor, so explicit redistributions do not forbid it.
TEST(Halo, IsExchangedIfImplicitRedistributionsAreRefused) {
  const auto runtime = ranks({2}, RuntimeOptions{.redistributions = Redistributions::Explicit});
  const auto x = distribute(runtime, numbered({1, 2, 8}), placed({"S(2)"}));
  const auto w = distribute(runtime, numbered({2, 2, 3}), placed({"R"}));
  EXPECT_EQ(placementsOf(at::conv1d(x, w, {}, 1, 1)), "(S(2))");
}

}  // namespace
}  // namespace shardlens
