#include "tests/fuzz/targets.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace shardlens {
namespace {

// Runs a fuzz target on each file of its corpus (seeds and earlier findings) and on half of each.
void replay(const char* name, void (*target)(std::string_view)) {
  const auto folder = std::filesystem::path(SHARDLENS_SOURCE_DIR) / "tests/fuzz/corpus" / name;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path().string());
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    target(bytes);
    target(std::string_view(bytes).substr(0, bytes.size() / 2));
    ++files;
  }
  EXPECT_GT(files, 0);
}

TEST(Corpus, OfRecordings) { replay("recording", fuzzRecording); }
TEST(Corpus, OfFrames) { replay("frames", fuzzFrames); }
TEST(Corpus, OfEvents) { replay("events", fuzzEvents); }
TEST(Corpus, OfMerges) { replay("events", fuzzMerge); }
TEST(Corpus, OfImports) { replay("import", fuzzImport); }
TEST(Corpus, OfCheckpoints) { replay("checkpoint", fuzzCheckpoint); }
TEST(Corpus, OfScenarios) { replay("scenario", fuzzScenario); }
TEST(Corpus, OfProtocols) { replay("protocol", fuzzProtocol); }

}  // namespace
}  // namespace shardlens
