#include "core/imports/input/byte_source.h"

#include "core/imports/input/bad_dump.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <system_error>
#include <utility>

namespace shardlens {

namespace fs = std::filesystem;

class ByteSource::File {
 public:
  File(gzFile file, std::uintmax_t size) : file_(file), size_(size) {}
  ~File() { gzclose_r(file_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::size_t read(std::span<char> into) {
    constexpr std::size_t kMost = std::numeric_limits<int>::max();
    const int got = gzread(file_, into.data(), static_cast<unsigned>(std::min(into.size(), kMost)));
    // For a truncated file, gzread returns the bytes it has; only gzerror reports the error.
    int code = Z_OK;
    const char* message = gzerror(file_, &code);
    if (got < 0 || (code != Z_OK && code != Z_STREAM_END)) throw BadDump(message);
    return static_cast<std::size_t>(got);
  }
  // Returns the fraction of the (compressed) file that has been read.
  double done() {
    const auto at = static_cast<double>(gzoffset(file_));
    return std::min(1.0, at / static_cast<double>(std::max<std::uintmax_t>(size_, 1)));
  }

 private:
  gzFile file_;
  std::uintmax_t size_;
};

Result<std::unique_ptr<ByteSource>> ByteSource::open(const fs::path& path, Progress progress) {
  constexpr unsigned kBuffer = 256U << 10U;
  std::error_code code;
  const auto size = fs::file_size(path, code);
  if (code) return fail(path.string() + " cannot be read: " + code.message());
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return fail(path.string() + " cannot be opened");
  gzbuffer(file, kBuffer);
  return std::unique_ptr<ByteSource>(
      new ByteSource(std::make_unique<File>(file, size), std::move(progress)));
}

ByteSource::ByteSource(std::unique_ptr<File> file, Progress progress)
    : file_(std::move(file)), progress_(std::move(progress)) {}

ByteSource::~ByteSource() = default;

std::size_t ByteSource::read(std::span<char> into) {
  const std::size_t got = file_->read(into);
  reportProgress();
  return got;
}

void ByteSource::reportProgress() const {
  if (progress_) progress_(file_->done());
}

}  // namespace shardlens
