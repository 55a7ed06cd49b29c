#include "core/checkpoints/checkpoint_check.h"
#include "core/checkpoints/checkpoint_differences.h"
#include "tests/support/scratch_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace shardlens {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

const std::filesystem::path kSample =
    std::filesystem::path(SHARDLENS_SOURCE_DIR) / "tests/checkpoints/samples/dcp-2";

// Every kStep-th byte is damaged, to save time. A prime meets all positions of repeated records.
constexpr std::size_t kStep = 5;

// A copy of the sample: w, float32 [5, 3] with the values 0 to 14, rows 0-2 and 3-4 by two ranks.
class DamagedCheckpointsTest : public ::testing::Test {
 protected:
  DamagedCheckpointsTest() { std::filesystem::copy(kSample, folder_.path()); }

  std::string read(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary | std::ios::trunc) << bytes;
  }
  Checkpoint checked() const {
    auto checkpoint = openCheckpoint(folder_.path()).value();
    checkCheckpoint(checkpoint);
    return checkpoint;
  }
  std::vector<std::string> problems() const {
    std::vector<std::string> found;
    for (const auto& problem : checked().problems)
      found.push_back(problem.kind + ": " + problem.sentence);
    return found;
  }
  // Opens, checks and compares what is there.
  void useAll() const {
    auto checkpoint = openCheckpoint(folder_.path());
    if (!checkpoint) return;
    checkCheckpoint(*checkpoint);
    (void)compareCheckpoints(*checkpoint, whole_);
    (void)compareCheckpoints(whole_, *checkpoint);
  }

  ScratchFolder folder_;
  Checkpoint whole_ = openCheckpoint(kSample).value();
};

TEST_F(DamagedCheckpointsTest, TheSampleIsRead) {
  const Checkpoint checkpoint = checked();
  ASSERT_EQ(checkpoint.tensors.size(), 1U);
  const CheckpointTensor& tensor = checkpoint.tensors[0];
  EXPECT_EQ(tensor.name, "w");
  EXPECT_EQ(tensor.type->name, "float32");
  EXPECT_EQ(extentsText(tensor.shape), "[5, 3]");
  ASSERT_EQ(tensor.slices.size(), 2U);
  EXPECT_EQ(sliceText(checkpoint, tensor, tensor.slices[1]),
            "w[3:5, 0:3] in __1_0.distcp (rank 1)");
  EXPECT_THAT(checkpoint.objects, testing::ElementsAre("step"));
  EXPECT_THAT(checkpoint.problems, testing::IsEmpty());
  const auto comparison = compareCheckpoints(checkpoint, whole_);
  EXPECT_EQ(comparison.elements, 15);
  EXPECT_THAT(comparison.differences, testing::IsEmpty());
}

// The last problem of a long list is a warning if all that are left out are.
TEST_F(DamagedCheckpointsTest, ALongListOfWarningsIsNoError) {
  Checkpoint checkpoint;
  const auto problem = [](bool isWarning) {
    return CheckpointProblem{"unlisted", "w", "a sentence", {}, {}, isWarning};
  };
  for (int i = 0; i < 1002; ++i) checkpoint.addProblem(problem(true));
  EXPECT_EQ(checkpoint.problems.size(), 1001U);
  EXPECT_EQ(checkpoint.problems.back().kind, "more");
  EXPECT_FALSE(checkpoint.hasErrors());
  checkpoint.addProblem(problem(false));
  EXPECT_TRUE(checkpoint.hasErrors());
}

TEST_F(DamagedCheckpointsTest, AMissingFileIsNamedWithItsSlice) {
  std::filesystem::remove(folder_ / "__1_0.distcp");
  EXPECT_THAT(problems(),
              Contains("missing: w[3:5, 0:3] in __1_0.distcp (rank 1): the file is missing"));
  const auto comparison = compareCheckpoints(checked(), whole_);
  EXPECT_EQ(comparison.elements, 9);
  ASSERT_EQ(comparison.differences.size(), 1U);
  EXPECT_EQ(comparison.differences[0].kind, "not-compared");
  EXPECT_THAT(comparison.differences[0].sentence,
              HasSubstr("w: 6 of 15 elements are not compared"));
}

TEST_F(DamagedCheckpointsTest, AFileThatEndsTooEarlyIsNamed) {
  const std::string bytes = read("__0_0.distcp");
  write("__0_0.distcp", bytes.substr(0, bytes.size() / 2));
  EXPECT_THAT(
      problems(),
      Contains(HasSubstr("unreadable: w[0:3, 0:3] in __0_0.distcp (rank 0): __0_0.distcp: got a "
                         "file of 788 bytes, expected 1577 bytes from byte 0")));
}

TEST_F(DamagedCheckpointsTest, TheFileOfAnotherRankIsFound) {
  write("__1_0.distcp", read("__0_0.distcp"));
  EXPECT_THAT(problems(), Contains(HasSubstr("unreadable: w[3:5, 0:3] in __1_0.distcp")));
}

TEST_F(DamagedCheckpointsTest, FilesOutsideOfTheFolderAreRefused) {
  std::string bytes = read(".metadata");
  for (auto at = bytes.find("__1_0.distcp"); at != std::string::npos;
       at = bytes.find("__1_0.distcp")) {
    bytes.replace(at, 12, "/etc/hosts.1");
  }
  write(".metadata", bytes);
  EXPECT_THAT(
      openCheckpoint(folder_.path()).error().message,
      HasSubstr("got the file '/etc/hosts.1', expected one in the folder of the checkpoint"));
}

TEST_F(DamagedCheckpointsTest, EachTruncationIsAnErrorOrAProblem) {
  for (const std::string name : {".metadata", "__0_0.distcp", "__1_0.distcp"}) {
    const std::string bytes = read(name);
    for (std::size_t size = 0; size < bytes.size(); size += kStep) {
      SCOPED_TRACE(name + " of " + std::to_string(size) + " bytes");
      write(name, bytes.substr(0, size));
      auto checkpoint = openCheckpoint(folder_.path());
      if (!checkpoint) continue;
      checkCheckpoint(*checkpoint);
      const bool isFound = name == ".metadata" || checkpoint->hasErrors();
      EXPECT_TRUE(isFound);
      useAll();
    }
    write(name, bytes);
  }
}

TEST_F(DamagedCheckpointsTest, ChangedBytesAreSurvived) {
  for (const std::string name : {".metadata", "__0_0.distcp"}) {
    const std::string bytes = read(name);
    for (std::size_t at = 0; at < bytes.size(); at += kStep) {
      SCOPED_TRACE(name + " byte " + std::to_string(at));
      for (const int changed : {0x01, 0x80, 0xFF}) {
        std::string other = bytes;
        other[at] = static_cast<char>(other[at] ^ changed);
        write(name, other);
        useAll();
      }
    }
    write(name, bytes);
  }
}

}  // namespace
}  // namespace shardlens
