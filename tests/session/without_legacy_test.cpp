// A program that does not link core/legacy refuses its calls and emulations.

#include "core/base/refusal.h"
#include "tests/session/programs.h"

namespace shardlens {
namespace {

TEST(WithoutLegacy, ItsCallsAreUnknown) {
  const auto answer = answerTo(R"json({"id": "y", "call": "sharded_embedding"})json");
  EXPECT_EQ(answer["error"]["message"],
            "unknown call 'sharded_embedding', expected tensor, from_locals, redistribute, "
            "cross_entropy, cross_entropy_backward, backward, grad, detach, or aten.NAME");
}

TEST(WithoutLegacy, ItsEmulationsAreRefused) {
  const auto run = [] {
    const Session session(
        scenario(R"json({"shardlens": 1, "mesh": {"shape": [2]}, "emulate": "torch-2.15", "steps": [
          {"id": "x", "call": "tensor", "data": [1], "placements": ["R"]}]})json"),
        {});
  };
  try {
    run();
    ADD_FAILURE() << "nothing was refused";
  } catch (const Refusal& refusal) {
    EXPECT_STREQ(refusal.what(),
                 "emulate: got \"torch-2.15\", expected none: this program has no emulations");
  }
}

}  // namespace
}  // namespace shardlens
