#include "core/imports/dump_format.h"

#include <gtest/gtest.h>

#include <fstream>

namespace shardlens {
namespace {

const std::filesystem::path kSamples = SHARDLENS_SOURCE_DIR "/tests/imports/samples";

TEST(IsDumpTest, DumpsAre) {
  for (const char* name :
       {"debug_mode.txt", "debug_mode.json", "comm_debug_mode.json.gz", "kineto-2/rank0.json.gz",
        "flight-2/rank_0", "flight-2/rank_0.json", "written/autoparallel_graph.json",
        "written/autoparallel_solution.json"}) {
    EXPECT_TRUE(isDump(kSamples / name)) << name;
  }
}

TEST(IsDumpTest, ScenariosAndUnreadableFilesAreNot) {
  int scenarios = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(SHARDLENS_SOURCE_DIR "/resources/gallery")) {
    if (file.path().extension() != ".json") continue;
    ++scenarios;
    EXPECT_FALSE(isDump(file.path())) << file.path();
  }
  EXPECT_GT(scenarios, 5);
  EXPECT_FALSE(isDump(kSamples / "none.json"));
}

}  // namespace
}  // namespace shardlens
