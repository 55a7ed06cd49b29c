#include "core/exports/export_formats.h"

#include "core/trace/journal/journal.h"
#include "tests/exports/sample_step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace shardlens {
namespace {

const ExportFormat& formatNamed(std::string_view name) {
  const auto all = exportFormats();
  return *std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
}

class ExportToTest : public ::testing::Test {
 protected:
  ExportToTest() {
    recorder_.addSink(journal_);
    recordSampleStep(recorder_);
    std::filesystem::create_directories(folder_);
  }
  ~ExportToTest() override { std::filesystem::remove_all(folder_); }

  std::string kept() const {
    std::ifstream in(path_);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }

  Recorder recorder_;
  Journal journal_;
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("export_to_test-" + std::to_string(getpid()));
  std::filesystem::path path_ = folder_ / "run.csv";
};

TEST_F(ExportToTest, ACancelledExportKeepsTheOldFile) {
  std::ofstream(path_) << "as it was";
  struct Ended {};
  const auto end = [](double) { throw Ended(); };
  EXPECT_THROW((void)exportTo(path_, formatNamed("csv"), journal_, {}, end), Ended);
  EXPECT_EQ(kept(), "as it was");
  EXPECT_FALSE(std::filesystem::exists(path_.string() + ".part"));
}

TEST_F(ExportToTest, AFinishedExportReplacesTheOldFile) {
  std::ofstream(path_) << "as it was";
  ASSERT_TRUE(exportTo(path_, formatNamed("csv"), journal_, {}));
  std::ostringstream expected;
  ASSERT_TRUE(formatNamed("csv").write(journal_, {}, expected));
  EXPECT_EQ(kept(), expected.str());
}

TEST_F(ExportToTest, ReportsAFullDisk) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  const auto written = exportTo("/dev/full", formatNamed("csv"), journal_, {});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message, "/dev/full: could not be written");
}

}  // namespace
}  // namespace shardlens
