#include "ui/scenes/buffer_scene.h"

#include "tests/ui/support/lookup_run.h"

#include <gmock/gmock.h>

namespace shardlens {
namespace {

using testing::ElementsAre;

TEST(BufferScene, BitsOfEachRank) {
  Journal journal;
  recordLookup(journal);
  const auto bits = maskBits(journal, LookupRun::tensor(journal, "mask"), journal.size());
  ASSERT_EQ(bits.size(), 4U);
  // Ids 0 9 4 4 2 7.
  EXPECT_THAT(bits[0].bits, ElementsAre(false, true, true, true, false, true));
  EXPECT_EQ(bits[0].masked, 4);
  EXPECT_EQ(bits[3].masked, 5);
}

TEST(BufferScene, TheRefcountGoesInSteps) {
  Journal journal;
  recordLookup(journal);
  const auto at = [&](EventKind kind, int nth) {
    return static_cast<double>(LookupRun::find(journal, kind, nth));
  };
  const double made = at(EventKind::MaskMaterialized, 0);
  const double shared = at(EventKind::MaskMaterialized, 1);
  const double given = at(EventKind::MaskReleased, 0);
  const double drained = at(EventKind::MaskReleased, 1);
  EXPECT_THAT(refcountSteps(journal, 1),
              ElementsAre(QPointF(0, 0), QPointF(made, 0), QPointF(made, 1), QPointF(shared, 1),
                          QPointF(shared, 2), QPointF(given, 2), QPointF(given, 1),
                          QPointF(drained, 1), QPointF(drained, 0), QPointF(journal.size(), 0)));
}

}  // namespace
}  // namespace shardlens
