// Tests how pending lookups share mask buffers, step by step.

#include "core/trace/snapshot/state_index.h"
#include "tests/tensor/ranks.h"

namespace shardlens {
namespace {

struct Program {
  explicit Program(Masking masking = Masking::Stepwise)
      : runtime(makeSimulatedRuntime(*DeviceMesh::make({4}), {.masking = masking})) {
    runtime->recorder().addSink(journal);
    table = distribute(runtime, numbered({10, 3}), placed({"S(0)"}));
  }
  ~Program() { runtime->recorder().removeSinks(); }

  at::Tensor look(const std::vector<std::int64_t>& words) {
    return at::embedding(table, distribute(runtime, ids(words), placed({"R"})));
  }
  at::Tensor plain(const std::vector<std::int64_t>& words) const {
    return at::embedding(numbered({10, 3}), ids(words));
  }
  // Returns the buffers and their refcounts as "#1:2 #2:0".
  std::string buffers() {
    StateIndex states(journal);
    std::string text;
    for (const auto& buffer : states.at(journal.size()).buffers) {
      text += (text.empty() ? "#" : " #") + std::to_string(buffer.id) + ":" +
              std::to_string(buffer.refcount);
    }
    return text;
  }

  Journal journal;
  std::shared_ptr<Runtime> runtime;
  at::Tensor table;
};

TEST(Masking, LookupsOfTheSameIdsShareABufferAndOthersHaveTheirOwn) {
  Program program;
  const auto a = program.look({0, 9, 4});
  EXPECT_EQ(program.buffers(), "#1:1");
  const auto b = program.look({0, 9, 4});
  EXPECT_EQ(program.buffers(), "#1:2");
  const auto c = program.look({7, 1, 2});
  EXPECT_EQ(program.buffers(), "#1:2 #2:1");
  EXPECT_TRUE(at::equal(whole(b), program.plain({0, 9, 4})));
  EXPECT_EQ(program.buffers(), "#1:1 #2:1");
  EXPECT_TRUE(at::equal(whole(c), program.plain({7, 1, 2})));
  EXPECT_TRUE(at::equal(whole(a), program.plain({0, 9, 4})));
  EXPECT_EQ(program.buffers(), "#1:0 #2:0");
}

TEST(Masking, TablesOfAnotherShapeHaveTheirOwnBuffer) {
  Program program;
  const auto a = program.look({0, 9});
  const auto wider = distribute(program.runtime, numbered({10, 5}), placed({"S(0)"}));
  const auto b = at::embedding(wider, distribute(program.runtime, ids({0, 9}), placed({"R"})));
  EXPECT_EQ(program.buffers(), "#1:1 #2:1");
}

TEST(Masking, ADroppedResultReleasesItsBuffer) {
  Program program;
  program.look({0, 9, 4});
  EXPECT_EQ(program.buffers(), "#1:0");
  EXPECT_TRUE(at::equal(whole(program.look({7, 1, 2})), program.plain({7, 1, 2})));
}

TEST(Masking, ReducingTwiceGivesTheSameAndReleasesOnce) {
  Program program;
  const auto y = program.look({0, 9, 4});
  EXPECT_TRUE(at::equal(whole(y), program.plain({0, 9, 4})));
  EXPECT_TRUE(at::equal(whole(y), program.plain({0, 9, 4})));
  EXPECT_EQ(program.buffers(), "#1:0");
}

TEST(Masking, AnAliasIsMaskedWithItsOriginal) {
  Program program;
  const auto y = program.look({0, 9, 4});
  const auto alias = y.detach();
  EXPECT_TRUE(at::equal(whole(alias), program.plain({0, 9, 4})));
  EXPECT_TRUE(at::equal(whole(y), program.plain({0, 9, 4})));
}

// The mask has the shape of the ids, so it is applied before a view changes the result's shape.
TEST(Masking, ViewsOfAPendingLookupArePendingToo) {
  for (const auto masking : {Masking::Fused, Masking::Stepwise}) {
    Program program(masking);
    const auto y = program.look({0, 9, 4, 1, 2, 3});
    const auto plain = program.plain({0, 9, 4, 1, 2, 3});
    const auto view = y.view({2, 3, 3});
    EXPECT_EQ(placementsOf(view), "(MaskP(sum, [10, 3], 0))");
    EXPECT_TRUE(at::equal(whole(view), plain.view({2, 3, 3})));
    EXPECT_EQ(program.buffers(), masking == Masking::Fused ? "" : "#1:0");
    EXPECT_TRUE(at::equal(whole(y.t()), plain.t()));
    EXPECT_TRUE(at::equal(whole(y.select(0, 1)), plain.select(0, 1)));
    EXPECT_TRUE(at::equal(whole(y.split(4)[1]), plain.split(4)[1]));
    EXPECT_TRUE(at::equal(whole(at::cat({y, y}, 1)), at::cat({plain, plain}, 1)));
    EXPECT_TRUE(at::equal(whole(y), plain));
  }
}

TEST(Masking, ArithmeticOnAPendingLookupIsMaskedFirst) {
  for (const auto masking : {Masking::Fused, Masking::Stepwise}) {
    Program program(masking);
    const auto y = program.look({0, 9, 4});
    EXPECT_TRUE(at::equal(whole(y.mul(2)), program.plain({0, 9, 4}).mul(2)));
    EXPECT_TRUE(at::equal(whole(y.relu()), program.plain({0, 9, 4}).relu()));
    EXPECT_TRUE(at::equal(whole(y.sum()), program.plain({0, 9, 4}).sum()));
  }
}

TEST(Masking, IdsThatWereMaskedByHandServeSeveralLookupsAndStayThemselves) {
  for (const auto masking : {Masking::Fused, Masking::Stepwise}) {
    Program program(masking);
    const auto words = distribute(program.runtime, ids({0, 9, 4}), placed({"R"}));
    const auto masked = redistribute(words, placed({"MaskP(sum, [10, 3], 0)"}));
    const auto a = at::embedding(program.table, masked);
    const auto b = at::embedding(program.table.mul(2), masked);
    EXPECT_EQ(program.buffers(), "#1:3");
    EXPECT_TRUE(at::equal(whole(masked), ids({0, 9, 4})));
    EXPECT_TRUE(at::equal(whole(a), program.plain({0, 9, 4})));
    EXPECT_TRUE(at::equal(whole(b), program.plain({0, 9, 4}).mul(2)));
  }
}

TEST(Masking, IdsMayHaveOneToFiveDimensions) {
  expectLookupsOfOneToFiveDimensions(ranks({4}, Masking::Stepwise));
}

TEST(Masking, OfNoTableIsRefused) {
  const auto runtime = ranks({4}, Masking::Stepwise);
  EXPECT_EQ(refusalOf([&] {
              redistribute(distribute(runtime, ids({0}), placed({"R"})), {MaskPartial{}});
            }),
            "offset_shape needs to be set for _MaskPartial");
}

TEST(Masking, MasksByHandAreChecked) {
  Program program;
  const auto mask = [&](const at::Tensor& words) {
    return refusalOf([&] {
      redistribute(distribute(program.runtime, words, placed({"R"})),
                   placed({"MaskP(sum, [10, 3], 0)"}));
    });
  };
  EXPECT_EQ(mask(ids({0, 10})),
            "redistribute to MaskP(sum, [10, 3], 0): index 10 at position [1] of the ids is out of "
            "range, expected 0 to 9");
  EXPECT_EQ(mask(at::ones({2})),
            "redistribute to MaskP(sum, [10, 3], 0): got ids of float32, expected int64 or int32");
}

TEST(Masking, FusedLookupsNeedNoBuffer) {
  Program program(Masking::Fused);
  const auto y = program.look({0, 9, 4});
  EXPECT_EQ(program.buffers(), "");
  EXPECT_EQ(placementsOf(y), "(MaskP(sum, [10, 3], 0))");
  // Rank 3 owns only row 9, the second id.
  const auto& rank3 = dtensorImpl(y).locals()[3];
  EXPECT_TRUE(at::equal(rank3[1], program.plain({9})[0]));
  EXPECT_EQ(rank3.index({0}).abs().sum().item<float>(), 0);
  EXPECT_EQ(rank3.index({2}).abs().sum().item<float>(), 0);
}

// Simulates a counting bug: the buffer is released while a holder remains.
TEST(MaskRegistry, AHoldThatCannotEndFailsTheNextOperator) {
  const auto runtime = ranks({2}, Masking::Stepwise);
  const auto x = distribute(runtime, numbered({4}), placed({"S(0)"}));
  const MaskPartial masked{ReduceOp::Sum, {4, 1}, 0};
  const Buffers masks(2, at::zeros({2}, at::kBool));
  auto held = runtime->masks().hold(masked, masks, runtime->comm(), "y");
  runtime->masks().materialized().front()->buffer.release();
  held.reset();
  EXPECT_EQ(refusalOf([&] { x.neg(); }), "MaskBuffer has not been materialized");
  EXPECT_TRUE(at::equal(whole(x.neg()), -numbered({4})));
}

}  // namespace
}  // namespace shardlens
