#include "core/checkpoints/input/zip_archive.h"

#include "core/base/little_endian.h"
#include "core/checkpoints/input/bad_checkpoint.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

namespace shardlens {
namespace {

constexpr std::uint64_t kMostDirectory = std::uint64_t{1} << 20;

std::uint64_t numberAt(std::string_view bytes, std::size_t at, std::size_t size) {
  return littleEndian(bytes.substr(at, size));
}

// Reads the directory of a zip archive, with 32-bit or 64-bit sizes.
class ArchiveReader {
 public:
  ArchiveReader(const InputFile& file, std::uint64_t offset, std::uint64_t bytes)
      : file_(file), offset_(offset), bytes_(bytes) {}

  std::vector<ArchiveEntry> entries() {
    constexpr std::uint64_t kEndSize = 22;
    if (bytes_ < kEndSize) refuse(fmt::format("{} bytes", bytes_), "an archive of torch.save()");
    const std::string end = text(bytes_ - kEndSize, kEndSize);
    if (numberAt(end, 0, 4) != 0x06054b50) {
      refuse("no end of a zip archive", "an archive of torch.save()");
    }
    std::uint64_t count = numberAt(end, 10, 2);
    std::uint64_t size = numberAt(end, 12, 4), begin = numberAt(end, 16, 4);
    if (count == 0xFFFF || size == 0xFFFFFFFF || begin == 0xFFFFFFFF) {
      constexpr std::uint64_t kLocatorSize = 20, kEnd64Size = 56;
      if (bytes_ < kEndSize + kLocatorSize) refuse("no 64-bit directory", "one");
      const std::string locator = text(bytes_ - kEndSize - kLocatorSize, kLocatorSize);
      const std::string end64 = text(numberAt(locator, 8, 8), kEnd64Size);
      if (numberAt(locator, 0, 4) != 0x07064b50 || numberAt(end64, 0, 4) != 0x06064b50) {
        refuse("no 64-bit directory", "one");
      }
      count = numberAt(end64, 32, 8);
      size = numberAt(end64, 40, 8);
      begin = numberAt(end64, 48, 8);
    }
    if (size > kMostDirectory)
      refuse(fmt::format("a directory of {} bytes", size), "at most 1 MiB");
    return parse(text(begin, size), count);
  }

 private:
  [[noreturn]] void refuse(const std::string& got, const std::string& expected) const {
    throw BadCheckpoint(
        fmt::format("{}: byte {}: got {}, expected {}", file_.name(), offset_, got, expected));
  }

  // Returns bytes of the archive. Throws if they are not inside of it.
  std::string text(std::uint64_t at, std::uint64_t size) const {
    if (at > bytes_ || size > bytes_ - at) {
      refuse(fmt::format("{} bytes at byte {} of an archive of {}", size, at, bytes_),
             "bytes of the archive");
    }
    return file_.text(offset_ + at, size);
  }

  std::vector<ArchiveEntry> parse(const std::string& directory, std::uint64_t count) const {
    constexpr std::size_t kHeadSize = 46;
    std::vector<ArchiveEntry> entries;
    for (std::size_t at = 0; entries.size() < count;) {
      if (directory.size() - at < kHeadSize || numberAt(directory, at, 4) != 0x02014b50) {
        refuse("a damaged directory of the archive", fmt::format("{} entries", count));
      }
      const std::size_t nameSize = numberAt(directory, at + 28, 2);
      const std::size_t extraSize = numberAt(directory, at + 30, 2);
      const std::size_t size = kHeadSize + nameSize + extraSize + numberAt(directory, at + 32, 2);
      if (directory.size() - at < size) refuse("a truncated directory", "whole entries");
      const std::string_view head = std::string_view(directory).substr(at, size);
      entries.push_back(entryOf(head, head.substr(kHeadSize, nameSize),
                                head.substr(kHeadSize + nameSize, extraSize)));
      at += size;
    }
    return entries;
  }

  ArchiveEntry entryOf(std::string_view head, std::string_view name, std::string_view extra) const {
    if (numberAt(head, 10, 2) != 0) {
      refuse(fmt::format("a compressed '{}'", name), "an archive without compression");
    }
    std::uint64_t packed = numberAt(head, 20, 4), bytes = numberAt(head, 24, 4);
    std::uint64_t local = numberAt(head, 42, 4);
    // The extra field with 64-bit numbers has those that do not fit into the head, in this order.
    for (std::size_t at = 0; extra.size() - at >= 4;) {
      const std::size_t size = numberAt(extra, at + 2, 2);
      std::size_t value = at + 4;
      if (extra.size() - value < size) break;
      const std::size_t end = value + size;
      if (numberAt(extra, at, 2) == 1) {
        for (std::uint64_t* const number : {&bytes, &packed, &local}) {
          if (*number != 0xFFFFFFFF || end - value < 8) continue;
          *number = numberAt(extra, value, 8);
          value += 8;
        }
      }
      at = end;
    }
    if (packed != bytes) refuse(fmt::format("a compressed '{}'", name), "one without compression");
    constexpr std::uint64_t kLocalSize = 30;
    const std::string localHead = text(local, kLocalSize);
    if (numberAt(localHead, 0, 4) != 0x04034b50)
      refuse("no file at its place", "a file of the archive");
    const std::uint64_t begin =
        local + kLocalSize + numberAt(localHead, 26, 2) + numberAt(localHead, 28, 2);
    if (begin > bytes_ || bytes > bytes_ - begin) {
      refuse(fmt::format("{} bytes of '{}'", bytes, name), "at most those of the archive");
    }
    return {.name = std::string(name.substr(std::min(name.find('/') + 1, name.size()))),
            .begin = offset_ + begin,
            .bytes = bytes};
  }

  const InputFile& file_;
  std::uint64_t offset_, bytes_;
};

}  // namespace

std::vector<ArchiveEntry> zipEntries(const InputFile& file, std::uint64_t offset,
                                     std::uint64_t bytes) {
  if (offset > file.size() || bytes > file.size() - offset) {
    throw BadCheckpoint(fmt::format("{}: got a file of {} bytes, expected {} bytes from byte {}",
                                    file.name(), file.size(), bytes, offset));
  }
  return ArchiveReader(file, offset, bytes).entries();
}

}  // namespace shardlens
