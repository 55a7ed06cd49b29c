#include "core/checkpoints/checkpoint_check.h"
#include "core/checkpoints/checkpoint_differences.h"
#include "tests/support/scratch_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace shardlens {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Returns a safetensors file.
std::string fileOf(const std::string& header, const std::string& elements, std::uint64_t size) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(size >> (8 * i) & 0xFFU);
  return bytes + header + elements;
}
std::string fileOf(const std::string& header, const std::string& elements = "") {
  return fileOf(header, elements, header.size());
}

class SafetensorsFilesTest : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }
  std::string refusal(const std::string& bytes) const {
    const auto opened = openCheckpoint(write("a.safetensors", bytes));
    return opened ? "opened" : opened.error().message;
  }
  std::vector<std::string> problems(const std::filesystem::path& path) const {
    auto checkpoint = openCheckpoint(path).value();
    checkCheckpoint(checkpoint);
    std::vector<std::string> found;
    for (const auto& problem : checkpoint.problems)
      found.push_back(problem.kind + ": " + problem.sentence);
    return found;
  }

  ScratchFolder folder_;
};

TEST_F(SafetensorsFilesTest, ElementsOfDifferentTypesAreComparedByValue) {
  // 1, 2 and -3 as float32, bfloat16 and float16.
  const auto a =
      openCheckpoint(
          write("a.safetensors",
                fileOf(R"({"w": {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]}})",
                       "\0\0\x80\x3f\0\0\0\x40\0\0\x40\xc0"s)))
          .value();
  const auto b =
      openCheckpoint(
          write("b.safetensors",
                fileOf(R"({"w": {"dtype": "BF16", "shape": [3], "data_offsets": [0, 6]}})",
                       "\x80\x3f\0\x40\x40\xc0"s)))
          .value();
  const auto c =
      openCheckpoint(
          write("c.safetensors",
                fileOf(R"({"w": {"dtype": "F16", "shape": [3], "data_offsets": [0, 6]}})",
                       "\0\x3c\0\x44\0\x7e"s)))
          .value();
  const auto equal = compareCheckpoints(a, b);
  EXPECT_EQ(equal.elements, 3);
  ASSERT_EQ(equal.differences.size(), 1U);
  EXPECT_EQ(equal.differences[0].sentence, "w: the dtypes are float32 and bfloat16");
  const auto different = compareCheckpoints(a, c);
  ASSERT_EQ(different.differences.size(), 2U);
  EXPECT_EQ(different.differences[1].sentence,
            "w: 2 of 3 elements differ, at most by inf; the first is [1]: 2 and 4, in w[0:3] in "
            "a.safetensors and w[0:3] in c.safetensors");
}

TEST_F(SafetensorsFilesTest, AnIndexIsComparedWithItsFiles) {
  const std::string w = R"("w": {"dtype": "U8", "shape": [2], "data_offsets": [0, 2]})";
  write("1.safetensors", fileOf("{" + w + "}", "ab"));
  write(
      "2.safetensors",
      fileOf("{" + w + R"(, "v": {"dtype": "U8", "shape": [1], "data_offsets": [2, 3]}})", "abc"));
  write(
      "model.safetensors.index.json",
      R"({"weight_map": {"w": "1.safetensors", "x": "1.safetensors", "v": "2.safetensors", "y": "3.safetensors"}})");
  EXPECT_THAT(
      problems(folder_.path()),
      ElementsAre(
          "missing: x: 1.safetensors does not contain it, but the index lists it there",
          "unlisted: w: 2.safetensors contains it, but the index does not list it there",
          "missing: y: 3.safetensors is missing, and the index lists it there",
          "overlap: w[0:2]: 2 elements are stored twice: w[0:2] in 1.safetensors and w[0:2] in "
          "2.safetensors"));
}

TEST_F(SafetensorsFilesTest, SlicesOfTorchHaveTheirOffsets) {
  const auto part = [](int offset) {
    return fileOf(R"({"__metadata__": {"DCP_SHARDING_INFO": "{\"w\": {\"saved_offsets\": [)" +
                      std::to_string(offset) +
                      R"(]}}"}, "w": {"dtype": "U8", "shape": [2], "data_offsets": [0, 2]}})",
                  "ab");
  };
  write("1.safetensors", part(0));
  write("2.safetensors", part(2));
  EXPECT_THAT(problems(folder_.path()), IsEmpty());
  EXPECT_EQ(extentsText(openCheckpoint(folder_.path())->tensors[0].shape), "[4]");
  write("2.safetensors", part(3));
  EXPECT_THAT(problems(folder_.path()),
              ElementsAre("missing: w[2:3]: 1 of 5 elements are in no file"));
  write("2.safetensors", part(1));
  EXPECT_THAT(problems(folder_.path()),
              ElementsAre(HasSubstr("overlap: w[1:2]: 1 elements are stored twice")));
}

TEST_F(SafetensorsFilesTest, DamagedHeadersAreRefused) {
  EXPECT_THAT(refusal("abc"), HasSubstr("a.safetensors: got 3 bytes"));
  EXPECT_THAT(refusal(fileOf("{}", "", UINT64_MAX)),
              HasSubstr("got a header of 18446744073709551615 bytes in a file of 10"));
  EXPECT_THAT(refusal(fileOf("[]")), HasSubstr("got no JSON object"));
  EXPECT_THAT(refusal(fileOf(std::string(100'000, '['))), HasSubstr("got no JSON object"));
  EXPECT_THAT(refusal(fileOf(R"({"w": 3})")), HasSubstr("'w': got the dtype ''"));
  EXPECT_THAT(refusal(fileOf(R"({"w": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}})")),
              HasSubstr("no shape"));
  EXPECT_THAT(
      refusal(fileOf(
          R"({"w": {"dtype": "F32", "shape": [9223372036854775807, 4], "data_offsets": [0, 4]}})")),
      HasSubstr("more than 2^56 elements"));
  EXPECT_THAT(refusal(fileOf(R"({"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}})")),
              HasSubstr("got data_offsets [0, 4], expected a range of 8 bytes"));
  EXPECT_THAT(refusal(fileOf(R"({"w": {"dtype": "F32", "shape": [2], "data_offsets": [8, 0]}})")),
              HasSubstr("[8, 0]"));
}

TEST_F(SafetensorsFilesTest, ElementsBeyondTheEndOfTheFileAreAProblem) {
  const auto path = write(
      "a.safetensors",
      fileOf(
          R"({"w": {"dtype": "F64", "shape": [9000000000000000], "data_offsets": [0, 72000000000000000]}})"));
  EXPECT_THAT(
      problems(path),
      ElementsAre(HasSubstr("unreadable: w[0:9000000000000000] in a.safetensors: a.safetensors: "
                            "got a file of")));
}

TEST_F(SafetensorsFilesTest, TensorsAtTheSameBytesAreAProblem) {
  const auto path = write(
      "a.safetensors",
      fileOf(
          R"({"v": {"dtype": "U8", "shape": [2], "data_offsets": [0, 2]}, "w": {"dtype": "U8", "shape": [2], "data_offsets": [1, 3]}})",
          "abc"));
  EXPECT_THAT(
      problems(path),
      ElementsAre(HasSubstr("shared-bytes: v[0:2] in a.safetensors and w[0:2] in a.safetensors")));
}

TEST_F(SafetensorsFilesTest, MegatronsOlderFormatIsExplained) {
  std::filesystem::create_directory(folder_ / "mp_rank_00");
  EXPECT_THAT(
      openCheckpoint(folder_.path()).error().message,
      HasSubstr("got mp_rank_00, of Megatron's older format, expected its torch_dist format"));
}

}  // namespace
}  // namespace shardlens
