#include "core/trace/journal/journal.h"
#include "tests/tensor/ranks.h"

namespace shardlens {
namespace {

// Ranks whose redistributions are pending until their result is needed.
class Overlap : public testing::Test {
 protected:
  Overlap() {
    auto comm = std::make_unique<Deferring>(std::make_unique<SimulatedCommunicator>(2));
    state_ = comm->state();
    runtime_ = makeRuntime(*DeviceMesh::make({2}), std::move(comm));
  }

  at::Tensor cut(const at::Tensor& values) { return distribute(runtime_, values, {Shard{0}}); }
  static at::Tensor gathered(const at::Tensor& tensor) {
    return redistribute(tensor, {Replicate{}});
  }
  static at::Tensor first(const at::Tensor& tensor) { return dtensorImpl(tensor).locals().front(); }
  bool isRunning() const { return state_->pending != nullptr; }

  std::shared_ptr<Deferring::State> state_;
  std::shared_ptr<Runtime> runtime_;
  const at::Tensor four_ = numbered({4});
};

TEST_F(Overlap, StaysPendingDuringOtherOperators) {
  const auto other = cut(at::ones({4}));
  const auto source = cut(four_);
  const auto whole = gathered(source);
  const auto sum = other + other;
  const auto read = source + 1;
  EXPECT_TRUE(at::equal(first(sum), at::full({2}, 2)));
  EXPECT_TRUE(isRunning());
  EXPECT_TRUE(at::equal(first(whole + 0), four_));
  EXPECT_FALSE(isRunning());
}

TEST_F(Overlap, CompletesAtTheFirstRead) {
  const std::vector<std::function<at::Tensor(const at::Tensor&)>> looks = {
      [](const auto& whole) { return dtensorImpl(whole).readLocals().back(); },
      [](const auto& whole) { return first(whole.detach()); },
      [](const auto& whole) {
        return first(whole.view({2, 2})).flatten();
      },
      [](const auto& whole) { return first(whole.clone()); },
  };
  for (const auto& look : looks) {
    const auto whole = gathered(cut(four_));
    EXPECT_TRUE(isRunning());
    EXPECT_TRUE(at::equal(look(whole), four_));
  }
}

TEST_F(Overlap, CompletesBeforeAnInPlaceWrite) {
  auto source = cut(four_);
  const auto view = source.view({2, 2});
  const auto whole = gathered(source);
  view.add_(1);
  EXPECT_FALSE(isRunning());
  const auto later = gathered(source);
  source.mul_(2);
  EXPECT_TRUE(at::equal(first(whole), four_));
  EXPECT_TRUE(at::equal(first(later), four_ + 1));
  EXPECT_TRUE(at::equal(first(gathered(source)), (four_ + 1) * 2));
}

TEST_F(Overlap, TheOneBeforeDoesNotHurryTheNext) {
  const auto one = gathered(cut(four_));
  const auto alias = one.detach();
  const auto next = gathered(cut(four_ + 1));
  EXPECT_TRUE(at::equal(first(one), four_));
  EXPECT_TRUE(at::equal(first(alias), four_));
  EXPECT_TRUE(isRunning());
  EXPECT_TRUE(at::equal(first(next), four_ + 1));
}

// The replicas share memory, which the collective fills only later. A write must still change only
// one replica.
TEST_F(Overlap, ReplicasAreWrittenOneByOne) {
  const auto locals = dtensorImpl(gathered(cut(four_))).locals();
  locals[0].fill_(5);
  EXPECT_TRUE(at::equal(locals[1], four_));
}

TEST_F(Overlap, CompletesAtTheEndIfItIsNeverRead) {
  gathered(cut(four_));
  EXPECT_TRUE(isRunning());
  runtime_ = nullptr;
  state_ = nullptr;  // runs the collective, which checks its inputs
}

TEST_F(Overlap, AComputationWithinTheRedistributionWaitsForTheCollective) {
  const auto norm = redistribute(
      makeSharded(runtime_, Spec{runtime_->mesh(), {NormPartial{2}}, {{1}, {1}, DType::Float32}},
                  {at::full({1}, 3.0), at::full({1}, 4.0)}),
      {Replicate{}});
  EXPECT_FALSE(isRunning());
  EXPECT_EQ(first(norm).item<float>(), 5);
}

TEST_F(Overlap, StaysPendingIfOnlyReasonsAreRecorded) {
  Journal journal({.times = false});
  runtime_->recorder().addSink(journal);
  const auto whole = gathered(cut(four_));
  EXPECT_TRUE(isRunning());
  EXPECT_TRUE(at::equal(first(whole), four_));
  runtime_->recorder().removeSinks();
}

TEST_F(Overlap, ASnapshotNeitherWaitsNorChanges) {
  const auto whole = gathered(cut(four_));
  const at::Tensor before(dtensorImpl(whole).snapshot());
  EXPECT_TRUE(isRunning());
  at::Tensor(whole).mul_(2);
  EXPECT_TRUE(at::equal(first(before), four_));
  EXPECT_TRUE(at::equal(first(whole), four_ * 2));
}

TEST_F(Overlap, CompletesAtOnceIfTimesAreRecorded) {
  Journal journal;
  runtime_->recorder().addSink(journal);
  const auto whole = gathered(cut(four_));
  EXPECT_EQ(state_->deferred, 0);
  runtime_->recorder().removeSinks();
}

}  // namespace
}  // namespace shardlens
