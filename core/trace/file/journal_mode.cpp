#include "core/trace/file/journal_mode.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>
#include <sys/vfs.h>

namespace shardlens {

namespace {

// From linux/magic.h, and from the documentation of the file systems outside of the kernel.
constexpr std::array<std::uint32_t, 25> kShared = {
    0x00006969,  // NFS
    0x0000517B,  // SMB
    0xFF534D42,  // CIFS
    0xFE534D42,  // SMB 2
    0x0000564C,  // NCP
    0x65735546,  // FUSE, virtiofs, sshfs, JuiceFS, GlusterFS, ...
    0x01021997,  // 9P
    0x0BD00BD0,  // Lustre
    0x47504653,  // GPFS, Storage Scale
    0x19830326,  // BeeGFS
    0xAAD7AAEA,  // PanFS
    0x00C36400,  // Ceph
    0x20030528,  // OrangeFS, PVFS2
    0x013111A8,  // IBRIX
    0xBEEFDEAD,  // StorNext
    0x61636673,  // ACFS
    0xA501FCF5,  // VxFS
    0x01161970,  // GFS2
    0x7461636F,  // OCFS2
    0x5346414F,  // AFS
    0x6B414653,  // kAFS
    0x73757245,  // Coda
    0x786F4256,  // VirtualBox folders
    0xBACBACBC,  // VMware folders
    0x7C7C6673,  // Parallels folders
};

}  // namespace

FileSystemKind fileSystemKind(std::int64_t magic) {
  // Where f_type is signed, numbers from 0x80000000 are negative.
  const bool isShared =
      std::ranges::find(kShared, static_cast<std::uint32_t>(magic)) != kShared.end();
  return isShared ? FileSystemKind::Shared : FileSystemKind::Local;
}

FileSystemKind fileSystemKind(const std::filesystem::path& path) {
  struct statfs found {};
  if (::statfs(path.c_str(), &found) != 0) return FileSystemKind::Local;
  return fileSystemKind(static_cast<std::int64_t>(found.f_type));
}

Result<JournalMode> journalModeIn(const std::filesystem::path& folder) {
  if (const char* given = std::getenv("SHARDLENS_JOURNAL"); given != nullptr && *given != 0) {
    if (given == std::string_view("wal")) return JournalMode::Wal;
    if (given == std::string_view("rollback")) return JournalMode::Rollback;
    return fail(std::string("SHARDLENS_JOURNAL is ") + given + ", expected wal or rollback");
  }
  const bool isShared = fileSystemKind(folder) == FileSystemKind::Shared;
  return isShared ? JournalMode::Rollback : JournalMode::Wal;
}

}  // namespace shardlens
