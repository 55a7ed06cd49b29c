#include "core/checkpoints/input/input_file.h"

#include "core/checkpoints/input/bad_checkpoint.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace shardlens {

InputFile::InputFile(const std::filesystem::path& path)
    : name_(path.filename().string()),
      // Without O_NONBLOCK, opening a pipe would block until another process writes to it.
      file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  struct stat found {};
  if (file_ < 0 || ::fstat(file_, &found) != 0) {
    const std::string why = std::strerror(errno);
    if (file_ >= 0) ::close(file_);
    throw BadCheckpoint(path.string() + ": cannot be opened: " + why);
  }
  if (!S_ISREG(found.st_mode)) {
    ::close(file_);
    throw BadCheckpoint(path.string() + ": got a folder or a device, expected a regular file");
  }
  size_ = static_cast<std::uint64_t>(found.st_size);
}

InputFile::~InputFile() { ::close(file_); }

void InputFile::read(std::uint64_t offset, std::span<std::byte> into) const {
  if (offset > size_ || into.size() > size_ - offset) {
    throw BadCheckpoint(fmt::format("{}: got a file of {} bytes, expected {} bytes from byte {}",
                                    name_, size_, into.size(), offset));
  }
  while (!into.empty()) {
    const auto got = ::pread(file_, into.data(), into.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      throw BadCheckpoint(fmt::format("{}: cannot be read at byte {}: {}", name_, offset,
                                      got == 0 ? "the file became shorter" : std::strerror(errno)));
    }
    offset += static_cast<std::uint64_t>(got);
    into = into.subspan(static_cast<std::size_t>(got));
  }
}

std::string InputFile::text(std::uint64_t offset, std::uint64_t bytes) const {
  if (bytes > size_) read(offset, {static_cast<std::byte*>(nullptr), bytes});  // throws
  std::string text(bytes, '\0');
  read(offset, std::as_writable_bytes(std::span(text)));
  return text;
}

const std::byte* BufferedFile::at(std::uint64_t offset, std::uint64_t bytes) {
  if (offset < begin_ || offset + bytes > begin_ + buffer_.size()) {
    const std::uint64_t left = file_.size() - std::min(offset, file_.size());
    buffer_.resize(std::max(bytes, std::min(next_, left)));
    next_ = std::min(next_ * 4, kMost);
    begin_ = UINT64_MAX;  // if the read fails, the buffer has no bytes of the file
    file_.read(offset, buffer_);
    begin_ = offset;
  }
  return buffer_.data() + (offset - begin_);
}

}  // namespace shardlens
