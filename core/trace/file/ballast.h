#pragma once

#include <cstddef>
#include <filesystem>

namespace shardlens {

// Reserves disk space that is released when the disk is full, so that a last error event can be
// written. Uses an unnamed file: it is invisible, and the system frees it when the process dies.
// Holds nothing if the space cannot be reserved.
class DiskReserve {
 public:
  // Reserves `bytes` on the file system of `folder`. Does not throw.
  DiskReserve(const std::filesystem::path& folder, std::size_t bytes);
  ~DiskReserve() { drop(); }
  DiskReserve(const DiskReserve&) = delete;
  DiskReserve& operator=(const DiskReserve&) = delete;

  // Releases the space. May be called repeatedly.
  void drop();

 private:
  int file_ = -1;
};

}  // namespace shardlens
