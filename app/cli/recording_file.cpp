#include "app/cli/recording_file.h"

#include "core/trace/merge/run_manifest.h"

#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <regex>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <vector>

namespace shardlens::cli {

namespace {

// The device and the inode of the file at a path; zeros if there is none.
std::pair<dev_t, ino_t> identityOf(const std::filesystem::path& path) {
  struct stat state {};
  if (::stat(path.c_str(), &state) != 0) return {};
  return {state.st_dev, state.st_ino};
}

}  // namespace

Result<RecordingFile> RecordingFile::create(const std::filesystem::path& path, const char* option) {
  auto writer = TraceWriter::create(path);
  if (!writer) return fail(std::string(option) + ": " + writer.error().message);
  return RecordingFile(path, std::move(*writer), option);
}

RecordingFile::RecordingFile(std::filesystem::path path, std::unique_ptr<TraceWriter> writer,
                             const char* option)
    : path_(std::move(path)),
      identity_(identityOf(path_)),
      writer_(std::move(writer)),
      option_(option) {}

RecordingFile::~RecordingFile() {
  if (writer_ == nullptr) return;
  writer_.reset();
  if (identityOf(path_) != identity_) return;  // the recording of another process replaced it
  std::error_code ignored;
  for (const char* suffix : {"", "-wal", "-shm", "-journal", "-live"}) {
    std::filesystem::remove(path_.string() + suffix, ignored);
  }
}

Result<void> RecordingFile::keep(Part part) {
  if (writer_ == nullptr) return {};
  const auto closed = writer_->close();
  if (const auto waited = writer_->waited(); closed && waited.count() > 0) {
    fmt::print(stderr, "shardlens: the run was blocked for {:.1f} s by the disk of its recording\n",
               std::chrono::duration<double>(waited).count());
  }
  if (closed || part == Part::Stays) writer_.reset();
  if (!closed) return fail(std::string(option_) + ": " + closed.error().message);
  return {};
}

Result<void> prepareRecordings(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  // Includes files that a killed writer left beside its recording.
  static const std::regex kOurs(R"(rank-[0-9]+\.shardlens(-wal|-shm|-journal|-live)?)");
  try {
    fs::create_directories(folder);
    std::vector<fs::path> earlier;
    for (const auto& entry : fs::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      const bool ours = name == kManifestName || std::regex_match(name, kOurs);
      if (ours && entry.is_regular_file()) earlier.push_back(entry.path());
    }
    for (const auto& path : earlier) fs::remove(path);
    return {};
  } catch (const fs::filesystem_error& error) {
    return fail("--record: cannot prepare the folder " + folder.string() + ": " +
                error.code().message());
  }
}

std::string recordingName(int firstRank) { return fmt::format("rank-{}.shardlens", firstRank); }

}  // namespace shardlens::cli
