#include "app/cli/recording_file.h"

#include <string>
#include <system_error>

namespace shardlens::cli {

Result<RecordingFile> RecordingFile::create(const std::filesystem::path& path) {
  auto writer = TraceWriter::create(path);
  if (!writer) return fail("--record: " + writer.error().message);
  return RecordingFile(path, std::move(*writer));
}

RecordingFile::RecordingFile(std::filesystem::path path, std::unique_ptr<TraceWriter> writer)
    : path_(std::move(path)), writer_(std::move(writer)) {}

RecordingFile::~RecordingFile() {
  if (writer_ == nullptr) return;
  writer_.reset();
  std::error_code ignored;
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
    std::filesystem::remove(path_.string() + suffix, ignored);
  }
}

Result<void> RecordingFile::keep() {
  if (const auto closed = writer_->close(); !closed) {
    return fail("--record: " + closed.error().message);
  }
  writer_.reset();
  return {};
}

}  // namespace shardlens::cli
