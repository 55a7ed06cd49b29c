#include "core/trace/journal/journal.h"
#include "tests/tensor/ranks.h"

namespace shardlens {
namespace {

Buffers localsOf(const at::Tensor& tensor) { return dtensorImpl(tensor).locals(); }

std::vector<std::string> collectivesIn(const Journal& journal) {
  std::vector<std::string> kinds;
  for (EventId id = 1; id <= journal.size(); ++id) {
    const auto& event = journal.at(id);
    if (event.kind == EventKind::Collective) kinds.emplace_back(journal.name(event));
  }
  return kinds;
}

// distributeFrom() sends each rank the part that distribute() takes, for all kinds of shards.
TEST(Distribute, FromOneRankGivesEveryRankItsPart) {
  const auto runtime = ranks({2, 3});
  const auto plain = numbered({7, 5});
  for (const auto& texts : std::vector<std::vector<std::string>>{{"S(0)", "S(1)"},
                                                                 {"S(0)", "S(0)"},
                                                                 {"SS(0, 3)", "S(0)"},
                                                                 {"R", "SS(1, 2)"},
                                                                 {"R", "R"},
                                                                 {"P(sum)", "R"},
                                                                 {"P(avg)", "S(1)"}}) {
    for (const int source : {0, 4}) {
      const auto taken = localsOf(distribute(runtime, plain, placed(texts)));
      const auto sent = localsOf(distributeFrom(runtime, source, plain, placed(texts)));
      for (std::size_t rank = 0; rank < taken.size(); ++rank) {
        EXPECT_TRUE(at::equal(sent[rank], taken[rank])) << toText(placed(texts)) << rank;
      }
    }
  }
}

TEST(Distribute, FromOneRankIsOneCollective) {
  const auto runtime = ranks({2, 2});
  Journal journal;
  runtime->recorder().addSink(journal);
  distributeFrom(runtime, 0, numbered({4, 4}), placed({"S(0)", "R"}));
  distributeFrom(runtime, 0, numbered({4, 4}), placed({"R", "R"}));
  EXPECT_EQ(collectivesIn(journal), (std::vector<std::string>{"scatter", "broadcast"}));
  EXPECT_EQ(refusalOf([&] {
              distributeFrom(runtime, 4, numbered({4}), placed({"R", "R"}));
            }),
            "source: got 4, expected a rank of the mesh");
}

// Integers cannot be divided among the partial values of a sum, so they keep their dtype.
TEST(Distribute, IntegersUnderASumKeepTheirType) {
  const auto plain = numbered({3, 2}).to(at::kLong);
  const auto terms = distribute(ranks({2}), plain, placed({"P(sum)"}));
  EXPECT_EQ(terms.scalar_type(), at::kLong);
  EXPECT_TRUE(at::equal(whole(terms), plain));
}

class PartOfTheRanks : public testing::Test {
 protected:
  const std::shared_ptr<Runtime> all_ = ranks({2, 2});
  const std::shared_ptr<Runtime> some_ = all_->over(*DeviceMesh::make({2}, {"tp"}, {3, 0}));
};

TEST_F(PartOfTheRanks, HoldTheTensorAmongThemselves) {
  const auto x = distribute(some_, numbered({5, 2}), placed({"S(0)"}));
  EXPECT_EQ(some_->comm().hosted(), (std::vector<int>{0, 3}));
  // Rank 3 is first in the mesh and has the longer part.
  EXPECT_EQ(localsOf(x)[0].size(0), 2);
  EXPECT_EQ(localsOf(x)[1].size(0), 3);
  EXPECT_TRUE(at::equal(whole(x * 2), numbered({5, 2}) * 2));
  EXPECT_TRUE(at::equal(whole(redistribute(x, placed({"S(1)"}))), numbered({5, 2})));
}

TEST_F(PartOfTheRanks, DoNotMixWithTheOthers) {
  const auto x = distribute(some_, numbered({4}), placed({"R"}));
  const auto y = distribute(all_, numbered({4}), placed({"R", "R"}));
  EXPECT_NE(refusalOf([&] { x.add(y); }), "nothing was refused");
  EXPECT_EQ(refusalOf([&] {
              all_->over(*DeviceMesh::make({2}, {}, {1, 4}));
            }),
            "mesh ranks: got 4, expected some of the 4 ranks of the scenario's mesh");
}

TEST_F(PartOfTheRanks, AreWrittenToTheSameRecording) {
  Journal journal;
  all_->recorder().addSink(journal);
  whole(distribute(some_, numbered({4}), placed({"S(0)"})));
  EXPECT_EQ(collectivesIn(journal), std::vector<std::string>{"all_gather"});
}

TEST(Distribute, SharesReplicasUntilOneIsWrittenOn) {
  const auto tensor = distribute(ranks({2, 2}), numbered({4, 3}), placed({"R", "S(0)"}));
  const auto& locals = dtensorImpl(tensor).locals();
  EXPECT_TRUE(areShared(locals[0], locals[2]));
  EXPECT_FALSE(areShared(locals[0], locals[1]));
  at::Tensor(locals[0]).zero_();
  EXPECT_TRUE(at::equal(locals[0], at::zeros({2, 3})));
  EXPECT_TRUE(at::equal(locals[2], numbered({4, 3}).slice(0, 0, 2)));
}

TEST(Distribute, TensorsThatAreNotDenseAreRefused) {
  const auto runtime = ranks({2});
  const auto numbers = numbered({4, 3});
  EXPECT_EQ(refusalOf([&] { distribute(runtime, numbers.to_sparse(), placed({"R"})); }),
            "got a sparse tensor, expected a dense one: which elements it holds depends on values");
  const auto quantized = at::quantize_per_tensor(numbers, 0.5, 0, at::kQInt8);
  EXPECT_EQ(refusalOf([&] { distribute(runtime, quantized, placed({"S(0)"})); }),
            "element type QInt8 is not supported on sharded tensors");
}

// DTensor takes them, and fails with an internal assertion of c10d where they are reduced.
TEST(Distribute, ComplexNumbersHaveNoLargestOne) {
  const auto runtime = ranks({2});
  const auto numbers = numbered({4}).to(at::kComplexFloat);
  for (const std::string op : {"max", "min", "product"}) {
    EXPECT_EQ(refusalOf([&] { distribute(runtime, numbers, placed({"P(" + op + ")"})); }),
              "Replicate to P(" + op + "): got complex64, expected a dtype that is not complex");
  }
  EXPECT_TRUE(at::equal(whole(distribute(runtime, numbers, placed({"P(sum)"}))), numbers));
}

}  // namespace
}  // namespace shardlens
