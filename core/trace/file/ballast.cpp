#include "core/trace/file/ballast.h"

#include <fcntl.h>
#include <unistd.h>

namespace shardlens {

// Reserves nothing if the disk is full or the file system does not support O_TMPFILE.
DiskReserve::DiskReserve(const std::filesystem::path& folder, std::size_t bytes)
    : file_(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600)) {
  if (file_ >= 0 && ::posix_fallocate(file_, 0, static_cast<off_t>(bytes)) != 0) drop();
}

void DiskReserve::drop() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

}  // namespace shardlens
