#include "core/base/json_text.h"
#include "core/trace/file/trace_writer.h"
#include "core/trace/merge/run_summary.h"
#include "core/trace/merge/trace_reader.h"
#include "core/trace/snapshot/snapshot_json.h"
#include "core/trace/snapshot/state_index.h"
#include "core/view/words/snapshot_text.h"
#include "tests/trace/mutations.h"
#include "tests/trace/sample_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>

namespace shardlens {
namespace {

using ::testing::StartsWith;

// Summarises a recording, opens it and shows it at several positions, as `shardlens replay` does.
// Returns false if it is refused; the error must begin with the folder of the file.
bool reads(const std::filesystem::path& path) {
  std::ignore = summarizeRun({path});
  const auto reader = TraceReader::open(path);
  if (!reader) {
    EXPECT_THAT(reader.error().message, StartsWith(path.parent_path().string()));
    EXPECT_LT(reader.error().message.size(), 1000U);
    return false;
  }
  while ((*reader)->settle()) continue;
  const Journal& journal = (*reader)->journal();
  StateIndex states(journal);
  for (const EventId position : {journal.size(), journal.size() / 2, EventId{0}}) {
    const Snapshot& snapshot = states.at(position);
    EXPECT_EQ(snapshot.position, position);
    EXPECT_FALSE(view::snapshotText(journal, snapshot).empty());
    EXPECT_FALSE(jsonText(snapshotJson(journal, snapshot)).empty());
  }
  return true;
}

void recordTo(const std::filesystem::path& path, const char* hosted = nullptr) {
  auto writer = TraceWriter::create(path).value();
  Recorder recorder;
  recorder.addSink(*writer);
  recorder.setCapture(CaptureLevel::All);
  if (hosted != nullptr) recorder.meta("hosted", hosted);
  recordSample(recorder);
}

// Reading damaged recordings does not crash, hang or allocate without limit.
TEST(TraceHostile, AnyDamageIsReadOrRefused) {
  const ScratchFolder folder;
  recordTo(folder / "whole.shardlens");
  const Mutations mutations(folder / "whole.shardlens");
  const auto [first, count] = mutationRange(400);
  std::uint64_t read = 0;
  for (std::uint64_t number = first; number < first + count; ++number) {
    std::cout << "mutation " << number << ": " << std::flush;
    std::cout << mutations.write(number, folder / "run.shardlens") << std::endl;
    read += reads(folder / "run.shardlens") ? 1 : 0;
  }
  // More than a fifth of the copies open, and some are refused.
  EXPECT_GT(read, count / 5);
  EXPECT_LT(read, count);
}

// The file of one process contradicts the others: another mesh, other counts, ranks of the others.
TEST(TraceHostile, ProcessesThatContradictOneAnotherAreReadOrRefused) {
  const ScratchFolder folder;
  recordTo(folder / "whole", "1");
  recordTo(folder / "rank-0.shardlens", "0");
  const Mutations mutations(folder / "whole");
  const auto [first, count] = mutationRange(200);
  for (std::uint64_t number = first; number < first + count; ++number) {
    std::cout << "mutation " << number << ": " << std::flush;
    std::cout << mutations.write(number, folder / "rank-1.shardlens") << std::endl;
    reads(folder.path());
  }
}

}  // namespace
}  // namespace shardlens
