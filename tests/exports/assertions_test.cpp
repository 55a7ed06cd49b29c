#include "core/exports/assertions.h"

#include "tests/inference/plain_run.h"

#include <gmock/gmock.h>

#include <sstream>

namespace shardlens {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Assertions, StateWhatIsKnown) {
  PlainRun run;
  const auto x = run.tensor("x", {3, 4});
  run.allReduce(x);
  run.note("layer", x, R"({"role":"output"})");
  run.parameter("layer.w", run.tensor("w", {4, 2}));
  std::ostringstream out;
  const auto unknown = writeAssertions(run.journal, out);
  ASSERT_TRUE(unknown);
  EXPECT_THAT(*unknown, ElementsAre("layer.w along tp"));
  EXPECT_THAT(out.str(), HasSubstr("TENSORS = {\n}\n"));
  EXPECT_THAT(out.str(), HasSubstr("OUTPUTS = {\n    \"layer\": {\"tp\": \"R\"},\n}\n"));
  EXPECT_THAT(out.str(), HasSubstr("def assert_placements(model):\n"));
}

TEST(Assertions, AreOfPlainTensors) {
  std::ostringstream out;
  const auto written = writeAssertions(Journal(), out);
  ASSERT_FALSE(written);
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace shardlens
