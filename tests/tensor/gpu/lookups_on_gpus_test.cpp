// Lookups on fake GPUs: their ids are checked without a wait, and refused later.

#include "core/tensor/queued_id_checks.h"
#include "tests/comm/forwarding.h"
#include "tests/tensor/gpu/fake_cuda.h"
#include "tests/tensor/ranks.h"

#include <c10/core/InferenceMode.h>

namespace shardlens {
namespace {

constexpr const char* kBad =
    "aten.embedding: index 8 at position [1] of the ids is out of range, expected 0 to 7";

class LookupsOnGpus : public testing::Test {
 protected:
  static int queued() { return fake_cuda::counts().idChecks; }
  static int waits() { return fake_cuda::counts().waits; }

  at::Tensor onRanks(const at::Tensor& tensor, const char* placement = "R") const {
    return distribute(runtime_, tensor, placed({placement}));
  }
  at::Tensor table(std::int64_t rows = 8) const { return onRanks(numbered({rows, 3}), "S(0)"); }
  void settle() const { runtime_->idChecks().settle(); }

  std::shared_ptr<Runtime> runtime_ =
      makeRuntime(*DeviceMesh::make({4}), fake_cuda::communicator(4));
  int queuedBefore_ = queued();
  int waitsBefore_ = waits();
};

TEST_F(LookupsOnGpus, WaitForNoCheckOfIds) {
  const auto weight = table();
  for (const std::int64_t id : {0, 3, 7}) {
    const auto found = at::embedding(weight, onRanks(ids({id, 1})));
    EXPECT_TRUE(at::equal(whole(found), numbered({8, 3}).index_select(0, ids({id, 1}))));
  }
  EXPECT_GT(queued(), queuedBefore_);
  EXPECT_EQ(waits(), waitsBefore_);
  settle();
  EXPECT_EQ(waits() - waitsBefore_, queued() - queuedBefore_);
}

TEST_F(LookupsOnGpus, CheckTheSameIdsOnce) {
  const auto some = onRanks(ids({0, 7}));
  at::embedding(table(), some);
  const int once = queued() - queuedBefore_;
  EXPECT_GT(once, 0);
  at::embedding(table(), some);
  at::embedding(table(100), some);
  EXPECT_EQ(queued() - queuedBefore_, once) << "the same table, and a larger one";
  settle();
  at::embedding(table(), some);
  EXPECT_EQ(queued() - queuedBefore_, once) << "after the check";
  EXPECT_EQ(refusalOf([&] {
              at::embedding(table(6), some);
              settle();
            }),
            "aten.embedding: index 7 at position [1] of the ids is out of range, expected 0 to 5")
      << "a smaller one";
}

TEST_F(LookupsOnGpus, CheckIdsAgainThatWereWritten) {
  auto some = onRanks(ids({0, 7}));
  at::embedding(table(), some);
  some.add_(1);
  at::embedding(table(), some);
  EXPECT_EQ(refusalOf([&] { settle(); }), kBad);
  EXPECT_EQ(refusalOf([&] {
              at::embedding(table(), some);
              settle();
            }),
            kBad)
      << "a refused check is no knowledge";
}

// The program writes to a tensor that it passed as the locals.
TEST_F(LookupsOnGpus, CheckIdsAgainWhoseLocalsWereWritten) {
  Buffers locals;
  for (int rank = 0; rank < 4; ++rank)
    locals.push_back(ids({0, 7}).to(runtime_->comm().device(rank)));
  const auto some = fromLocals(runtime_, locals, {Replicate{}}, std::nullopt);
  at::embedding(table(), some);
  for (auto& local : locals) local.add_(1);
  at::embedding(table(), some);
  EXPECT_EQ(refusalOf([&] { settle(); }), kBad);
}

TEST_F(LookupsOnGpus, CheckOtherDataOfATensorAgain) {
  auto some = onRanks(ids({0, 7}));
  at::embedding(table(), some);
  some.set_data(onRanks(ids({0, 8})));
  at::embedding(table(), some);
  EXPECT_EQ(refusalOf([&] { settle(); }), kBad);
}

TEST_F(LookupsOnGpus, AlwaysCheckIdsThatHaveNoVersion) {
  const c10::InferenceMode inference;
  const auto some = onRanks(ids({0, 7}));
  const auto weight = table();
  at::embedding(weight, some);
  const int once = queued() - queuedBefore_;
  at::embedding(weight, some);
  EXPECT_EQ(queued() - queuedBefore_, 2 * once);
}

TEST_F(LookupsOnGpus, GiveZerosForABadIdAndAreRefusedByName) {
  runtime_->recorder().setStep(5, 1);
  const auto found = at::embedding(table(), onRanks(ids({2, 8, -1})));
  runtime_->recorder().setStep(6, 1);
  at::embedding(table(), onRanks(ids({2, 9})));
  auto expected = numbered({8, 3}).index_select(0, ids({2, 2, 2}));
  expected.narrow(0, 1, 2).zero_();
  EXPECT_TRUE(at::equal(whole(found), expected));
  EXPECT_EQ(refusalOf([&] { settle(); }), kBad);
  EXPECT_EQ(runtime_->idChecks().refusedStep(), 5);
  settle();  // refuses once
}

TEST_F(LookupsOnGpus, AreRefusedWhereANumberIsRead) {
  const auto x = onRanks(ids({1}));
  at::embedding(table(), onRanks(ids({2, 8})));
  EXPECT_EQ(refusalOf([&] { at::equal(x, x); }), kBad);
}

TEST_F(LookupsOnGpus, SayIfTheBadIdWasWrittenSince) {
  auto some = onRanks(ids({2, 8}));
  at::embedding(table(), some);
  some.zero_();
  EXPECT_EQ(refusalOf([&] { settle(); }),
            "aten.embedding: the index at position [1] of the ids was out of range and has been "
            "written since, expected 0 to 7");
}

TEST_F(LookupsOnGpus, KeepOnlySomeChecks) {
  for (std::size_t i = 0; i < QueuedIdChecks::kMost; ++i) at::embedding(table(), onRanks(ids({1})));
  EXPECT_EQ(waits(), waitsBefore_);
  at::embedding(table(), onRanks(ids({1})));
  EXPECT_GT(waits(), waitsBefore_);
  settle();
}

// The gradient's kernel skips bad ids; libtorch's, for a gradient by frequency, may not see them.
TEST_F(LookupsOnGpus, CheckTheIdsOfGradientsToo) {
  const auto gradient = onRanks(numbered({2, 3}));
  const auto of = [&](std::int64_t id, bool byFrequency) {
    return at::embedding_dense_backward(gradient, onRanks(ids({2, id})), 8, -1, byFrequency);
  };
  const auto expected = at::embedding_dense_backward(numbered({2, 3}), ids({2, 5}), 8, -1, false);
  EXPECT_TRUE(at::equal(whole(of(5, false)), expected));
  EXPECT_EQ(waits(), waitsBefore_);
  const std::string bad =
      "aten.embedding_dense_backward: index 8 at position [1] of the ids is out of range, expected "
      "0 to 7";
  EXPECT_EQ(refusalOf([&] { of(8, true); }), bad);
  of(8, false);
  EXPECT_EQ(refusalOf([&] { settle(); }), bad);
}

TEST_F(LookupsOnGpus, OnSeveralProcessesWaitAndAgree) {
  class OneOfSeveral final : public Forwarding {
   public:
    using Forwarding::Forwarding;
    bool isAlone() const override { return false; }
  };
  const auto runtime = makeRuntime(*DeviceMesh::make({2}),
                                   std::make_unique<OneOfSeveral>(fake_cuda::communicator(2)));
  const auto weight = distribute(runtime, numbered({8, 3}), {Shard{0}});
  EXPECT_EQ(refusalOf([&] {
              at::embedding(weight, distribute(runtime, ids({2, 8}), {Replicate{}}));
            }),
            kBad);
}

}  // namespace
}  // namespace shardlens
