#include "core/trace/file/page_checksums.h"

#include <sqlite3.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

namespace shardlens {

namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::size_t kLeastPage = 512;  // of SQLite, in bytes

using Checksum = std::array<std::uint32_t, 2>;
static_assert(sizeof(Checksum) == kChecksumBytes);

// Two sums of 32-bit words, each weighted by the other, that begin with `seed` and 0. With seed 0
// it is the checksum of SQLite's write-ahead log. Different seeds give different checksums of the
// same data. `size` is a multiple of 8.
Checksum checksumOf(const std::byte* data, std::size_t size, std::uint32_t seed) {
  std::uint32_t first = seed;
  std::uint32_t second = 0;
  for (std::size_t at = 0; at < size; at += sizeof(Checksum)) {
    Checksum words;
    std::memcpy(&words, data + at, sizeof(words));
    first += words[0] + second;
    second += words[1] + first;
  }
  return {first, second};
}

// A database file as SQLite sees it. The file of the underlying file system follows in memory.
struct CheckedFile : sqlite3_file {
  // 0: pages have no checksums, or the header was not read or written yet. Constant while pages are
  // verified, because a damaged header could contain any number.
  std::size_t pageSize = 0;
  bool verifies = false;
  ChecksumRule rule = ChecksumRule::Numbered;

  sqlite3_file* below() { return reinterpret_cast<sqlite3_file*>(this + 1); }

  // Takes the page size from the header, if these are the first bytes of the file.
  void readHeader(const std::byte* data, std::size_t size, sqlite3_int64 offset) {
    constexpr std::size_t kHeader = 100;
    if (verifies || offset != 0 || size < kHeader) return;
    if (std::memcmp(data, "SQLite format 3", 16) != 0) return;
    const auto at = [data](int index) { return std::to_integer<std::size_t>(data[index]); };
    const std::size_t stored = at(16) << 8 | at(17);
    const std::size_t bytes = stored == 1 ? 65536 : stored;
    const bool isValid = bytes >= kLeastPage && std::has_single_bit(bytes);
    pageSize = isValid && at(20) == kChecksumBytes ? bytes : 0;
  }

  // Returns the checksum that the page at this offset has by a rule.
  Checksum checksumAt(sqlite3_int64 offset, const std::byte* page, ChecksumRule by) const {
    const auto number = offset / static_cast<sqlite3_int64>(pageSize) + 1;
    const bool isNumbered = by == ChecksumRule::Numbered;
    return checksumOf(page, pageSize - kChecksumBytes,
                      isNumbered ? static_cast<std::uint32_t>(number) : 0);
  }

  bool isWhole(sqlite3_int64 offset, const std::byte* page) const {
    using enum ChecksumRule;
    Checksum stored;
    std::memcpy(&stored, page + pageSize - kChecksumBytes, kChecksumBytes);
    if (stored == checksumAt(offset, page, rule)) return true;
    if (rule == Plain) return stored == checksumAt(offset, page, Numbered);
    return stored != Checksum{} && stored == checksumAt(offset, page, Plain);
  }
};

CheckedFile& checked(sqlite3_file* file) { return *static_cast<CheckedFile*>(file); }

int closeFile(sqlite3_file* file) {
  sqlite3_file* below = checked(file).below();
  return below->pMethods->xClose(below);
}

// Reads a part of pages: verifies each page that the part touches.
int readParts(CheckedFile& file, std::byte* data, std::size_t size, sqlite3_int64 offset) {
  std::vector<std::byte> page(file.pageSize);
  while (size != 0) {
    const auto begin = static_cast<std::size_t>(offset % static_cast<sqlite3_int64>(page.size()));
    const std::size_t part = std::min(size, page.size() - begin);
    const sqlite3_int64 start = offset - static_cast<sqlite3_int64>(begin);
    const int code = file.below()->pMethods->xRead(file.below(), page.data(),
                                                   static_cast<int>(page.size()), start);
    if (code != SQLITE_OK) return code;
    if (!file.isWhole(start, page.data())) return SQLITE_IOERR_DATA;
    std::memcpy(data, page.data() + begin, part);
    data += part;
    size -= part;
    offset += static_cast<sqlite3_int64>(part);
  }
  return SQLITE_OK;
}

// SQLite reads whole pages, apart from up to 100 bytes of the header, which it reads again with
// page 1. Where a build of SQLite reads the rest of a page that continues a long row, whole pages
// are read in its place.
int readFile(sqlite3_file* self, void* buffer, int count, sqlite3_int64 offset) {
  CheckedFile& file = checked(self);
  auto* data = static_cast<std::byte*>(buffer);
  const auto size = static_cast<std::size_t>(count);
  const bool isPage = size == file.pageSize;
  if (file.verifies && size >= kLeastPage && !isPage) return readParts(file, data, size, offset);
  const int code = file.below()->pMethods->xRead(file.below(), buffer, count, offset);
  if (code != SQLITE_OK) return code;
  file.readHeader(data, size, offset);
  return file.verifies && isPage && !file.isWhole(offset, data) ? SQLITE_IOERR_DATA : SQLITE_OK;
}

// SQLite writes whole pages. The reserved bytes at their end are unused by it, so the checksum is
// put into its buffer.
int writeFile(sqlite3_file* self, const void* buffer, int count, sqlite3_int64 offset) {
  CheckedFile& file = checked(self);
  auto* data = static_cast<std::byte*>(const_cast<void*>(buffer));
  const auto size = static_cast<std::size_t>(count);
  file.readHeader(data, size, offset);
  if (size == file.pageSize) {
    const Checksum computed = file.checksumAt(offset, data, file.rule);
    std::memcpy(data + size - kChecksumBytes, &computed, kChecksumBytes);
  }
  return file.below()->pMethods->xWrite(file.below(), buffer, count, offset);
}

template <auto member, class... Arguments>
int pass(sqlite3_file* file, Arguments... arguments) {
  sqlite3_file* below = checked(file).below();
  return (below->pMethods->*member)(below, arguments...);
}

int controlFile(sqlite3_file* file, int operation, void* argument) {
  if (operation != kVerifyChecksums) {
    return pass<&sqlite3_io_methods::xFileControl>(file, operation, argument);
  }
  checked(file).rule = *static_cast<const ChecksumRule*>(argument);
  checked(file).verifies = checked(file).pageSize != 0;
  return SQLITE_OK;
}

void passBarrier(sqlite3_file* file) {
  sqlite3_file* below = checked(file).below();
  below->pMethods->xShmBarrier(below);
}

// Version 2 has no memory-mapped reads, which would bypass readFile().
constexpr sqlite3_io_methods kMethods{
    .iVersion = 2,
    .xClose = closeFile,
    .xRead = readFile,
    .xWrite = writeFile,
    .xTruncate = pass<&sqlite3_io_methods::xTruncate>,
    .xSync = pass<&sqlite3_io_methods::xSync>,
    .xFileSize = pass<&sqlite3_io_methods::xFileSize>,
    .xLock = pass<&sqlite3_io_methods::xLock>,
    .xUnlock = pass<&sqlite3_io_methods::xUnlock>,
    .xCheckReservedLock = pass<&sqlite3_io_methods::xCheckReservedLock>,
    .xFileControl = controlFile,
    .xSectorSize = pass<&sqlite3_io_methods::xSectorSize>,
    .xDeviceCharacteristics = pass<&sqlite3_io_methods::xDeviceCharacteristics>,
    .xShmMap = pass<&sqlite3_io_methods::xShmMap>,
    .xShmLock = pass<&sqlite3_io_methods::xShmLock>,
    .xShmBarrier = passBarrier,
    .xShmUnmap = pass<&sqlite3_io_methods::xShmUnmap>,
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

sqlite3_vfs* systemBelow = nullptr;

// Side files and temporary files are those of the underlying file system.
int openFile(sqlite3_vfs* /*system*/, sqlite3_filename name, sqlite3_file* file, int flags,
             int* outFlags) {
  if ((flags & SQLITE_OPEN_MAIN_DB) == 0) {
    return systemBelow->xOpen(systemBelow, name, file, flags, outFlags);
  }
  auto* made = new (file) CheckedFile;
  made->pMethods = nullptr;
  const int code = systemBelow->xOpen(systemBelow, name, made->below(), flags, outFlags);
  // Without methods SQLite does not close a file.
  if (made->below()->pMethods != nullptr) made->pMethods = &kMethods;
  return code;
}

sqlite3_vfs makeFileSystem() {
  sqlite3_vfs system = *systemBelow;
  system.zName = "shardlens-checked";
  system.szOsFile = static_cast<int>(sizeof(CheckedFile)) + systemBelow->szOsFile;
  system.pNext = nullptr;
  system.xOpen = openFile;
  return system;
}

}  // namespace

const char* checkedFileSystem() {
  static const char* const name = []() -> const char* {
    systemBelow = sqlite3_vfs_find(nullptr);
    if (systemBelow == nullptr) return nullptr;
    static sqlite3_vfs system = makeFileSystem();
    return sqlite3_vfs_register(&system, 0) == SQLITE_OK ? system.zName : nullptr;
  }();
  return name;
}

}  // namespace shardlens
