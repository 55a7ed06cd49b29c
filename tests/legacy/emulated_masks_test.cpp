// Mask buffers that caches own, and the recording of a legacy lookup.

#include "core/legacy/emulated_masks.h"

#include "core/legacy/legacy_embedding.h"
#include "core/trace/journal/journal.h"
#include "core/trace/snapshot/state_index.h"
#include "tests/tensor/ranks.h"

namespace shardlens {
namespace {

std::shared_ptr<Runtime> emulating(Emulation emulation, int ranks = 4) {
  return makeSimulatedRuntime(*DeviceMesh::make({ranks}),
                              {.maskPolicy = emulatedMaskPolicy(emulation)});
}

at::Tensor lookUp(const std::shared_ptr<Runtime>& runtime, const std::vector<std::int64_t>& words) {
  const auto table = distribute(runtime, numbered({10, 3}), placed({"S(0)"}));
  return at::embedding(table, distribute(runtime, ids(words), placed({"R"})));
}

at::Tensor plain(const std::vector<std::int64_t>& words) {
  return at::embedding(numbered({10, 3}), ids(words));
}

TEST(EmulatedMasks, ImplyStepwiseMasking) {
  EXPECT_EQ(emulatedMaskPolicy(Emulation::None), nullptr);
  EXPECT_EQ(emulating(Emulation::Torch215)->options().masking, Masking::Stepwise);
}

TEST(EmulatedMasks, ADroppedResultStaysCounted) {
  const auto runtime = emulating(Emulation::Torch215);
  Journal journal;
  runtime->recorder().addSink(journal);
  const auto refcounts = [&] {
    StateIndex states(journal);
    std::string text;
    for (const auto& buffer : states.at(journal.size()).buffers) {
      text += "#" + std::to_string(buffer.id) + ":" + std::to_string(buffer.refcount);
    }
    return text;
  };
  lookUp(runtime, {0, 9, 4});
  EXPECT_EQ(refcounts(), "#1:1");
  const auto refusal = refusalOf([&] { lookUp(runtime, {7, 1, 2}); });
  EXPECT_TRUE(refusal.starts_with("MaskBuffer has been materialized with conflicting data: got "))
      << refusal;
  EXPECT_TRUE(at::equal(whole(lookUp(runtime, {0, 9, 4})), plain({0, 9, 4})));
  EXPECT_EQ(refcounts(), "#1:1");
  runtime->recorder().removeSinks();
}

TEST(EmulatedMasks, IdsMayHaveOneToFiveDimensions) {
  for (const auto emulation : {Emulation::Torch215, Emulation::Before131264}) {
    expectLookupsOfOneToFiveDimensions(emulating(emulation));
  }
}

// A plan that moves rows is invalid for partial values, and vice versa.
TEST(EmulatedMasks, KeysOfRowsAndOfPartialValuesDiffer) {
  const auto runtime = emulating(Emulation::Before131264, 2);
  const auto of = [&](const Shape& table, const Placement& to) {
    return runtime->layouts().of({runtime->mesh(), {to}, {table, contiguousStrides(table)}});
  };
  const auto buffer = runtime->masks().add(MaskRecord::Owner::Cache, Sharing::None);
  const auto masked = [&](std::int64_t width) {
    return of({10, 4}, MaskPartial{ReduceOp::Sum, {10, width}, 0});
  };
  PlanCache cache(4);
  const PlanKey rows{masked(4), of({10, 4}, Replicate{}), PartialKind::OwnedRows, buffer};
  cache.insert(rows, nullptr);
  PlanKey key{masked(8), rows.to, PartialKind::OwnedRows, buffer};
  EXPECT_EQ(runtime->maskPolicy().keyOf(cache, key), rows);
  key.partialKind = PartialKind::Any;
  EXPECT_EQ(runtime->maskPolicy().keyOf(cache, key), key);
}

// A cache's buffer may lose its last holder while masked ids still refer to it. Their next lookup
// would otherwise get a buffer without masks.
TEST(EmulatedHold, IsNotRenewedAfterItsMasksWereDropped) {
  const auto recorder = std::make_shared<Recorder>();
  const auto record = std::make_shared<MaskRecord>(MaskRecord::Owner::Cache, Sharing::Counted);
  record->buffer.materialize({at::tensor({1, 0}).to(at::kBool)});
  EmulatedHold hold(record, recorder);
  hold.again("z")->release();
  hold.release();
  EXPECT_EQ(refusalOf([&] { hold.again("w"); }), "MaskBuffer has not been materialized");
}

TEST(LegacyEmbedding, RecordsItsReasons) {
  const auto runtime = ranks({2});
  const auto table = distribute(runtime, at::ones({4, 6}), placed({"S(0)"}));
  const auto words = distribute(runtime, ids({0, 1, 2, 3}), placed({"S(0)"}));
  Journal journal;
  runtime->recorder().addSink(journal);
  const auto result = legacyEmbedding(table, words, {});
  runtime->recorder().removeSinks();
  std::vector<EventKind> reasoned;
  for (EventId id = 1; id <= journal.size(); ++id) {
    if (journal.at(id).detail != 0) reasoned.push_back(journal.at(id).kind);
  }
  for (const auto kind : {EventKind::Candidates, EventKind::CacheLookup, EventKind::Plan}) {
    EXPECT_EQ(std::count(reasoned.begin(), reasoned.end(), kind), 1);
  }
}

}  // namespace
}  // namespace shardlens
