#pragma once

#include "core/base/result.h"
#include "core/trace/file/progress.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace shardlens {

// A sequential reader of a file's bytes. Decompresses gzip, detected from the content and not from
// the file name. Reads other files as they are.
class ByteSource {
 public:
  // `progress` is called after each read with the fraction of the file read so far. It may throw to
  // cancel. Returns an error if the file cannot be opened.
  static Result<std::unique_ptr<ByteSource>> open(const std::filesystem::path& path,
                                                  Progress progress = {});
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // Reads up to into.size() bytes and returns their number; 0 is the end. Throws BadDump on a read
  // error, such as a truncated gzip file.
  std::size_t read(std::span<char> into);
  // Calls `progress` again, so that it can cancel work between reads.
  void reportProgress() const;

 private:
  class File;
  explicit ByteSource(std::unique_ptr<File> file, Progress progress);

  std::unique_ptr<File> file_;
  Progress progress_;
};

}  // namespace shardlens
