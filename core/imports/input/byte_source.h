#pragma once

#include "core/base/result.h"
#include "core/trace/file/progress.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace shardlens {

// A file's bytes in order, unpacked where gzip has packed them, whatever its name.
class ByteSource {
 public:
  // `progress` is told how much of the file has been read, and may throw to end it.
  static Result<std::unique_ptr<ByteSource>> open(const std::filesystem::path& path,
                                                  Progress progress = {});
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // Fills in as many as there are; 0 is the end. Throws BadDump where the file cannot be read on,
  // as at the cut end of a packed one.
  std::size_t read(std::span<char> into);
  // Tells the progress again, which may end what goes on without reading.
  void tellProgress() const;

 private:
  class File;
  explicit ByteSource(std::unique_ptr<File> file, Progress progress);

  std::unique_ptr<File> file_;
  Progress progress_;
};

}  // namespace shardlens
