#include "core/trace/file/journal_mode.h"

#include "core/trace/file/trace_writer.h"
#include "core/trace/file/writer_lock.h"
#include "tests/support/scratch_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/magic.h>

#include <cstdlib>

namespace shardlens {
namespace {

using ::testing::HasSubstr;

TEST(JournalModeOf, SharedFileSystemsAreKnownByTheirNumbers) {
  constexpr std::int64_t kLustre = 0x0BD00BD0;
  for (const std::int64_t magic :
       {std::int64_t{NFS_SUPER_MAGIC}, kLustre, std::int64_t{FUSE_SUPER_MAGIC},
        std::int64_t{CEPH_SUPER_MAGIC}, std::int64_t{V9FS_MAGIC}, std::int64_t{AFS_SUPER_MAGIC}}) {
    EXPECT_EQ(fileSystemKind(magic), FileSystemKind::Shared) << std::hex << magic;
  }
  for (const std::int64_t magic :
       {std::int64_t{EXT4_SUPER_MAGIC}, std::int64_t{XFS_SUPER_MAGIC}, std::int64_t{TMPFS_MAGIC},
        std::int64_t{BTRFS_SUPER_MAGIC}, std::int64_t{OVERLAYFS_SUPER_MAGIC}, std::int64_t{0}}) {
    EXPECT_EQ(fileSystemKind(magic), FileSystemKind::Local) << std::hex << magic;
  }
}

// Where f_type is a signed 32-bit number, that of CIFS is negative.
TEST(JournalModeOf, SignedNumbersAreKnownToo) {
  EXPECT_EQ(fileSystemKind(static_cast<std::int32_t>(0xFF534D42)), FileSystemKind::Shared);
}

TEST(JournalModeOf, APathIsOnTheFileSystemOfItsFolder) {
  EXPECT_EQ(fileSystemKind(std::filesystem::path("/proc")), FileSystemKind::Local);
  EXPECT_EQ(fileSystemKind(std::filesystem::path("/missing")), FileSystemKind::Local);
}

TEST(JournalModeOf, AnUnknownOverrideIsRefused) {
  const ScratchFolder folder;
  ::setenv("SHARDLENS_JOURNAL", "memory", 1);
  const auto writer = TraceWriter::create(folder / "a.shardlens");
  ::unsetenv("SHARDLENS_JOURNAL");
  ASSERT_FALSE(writer);
  EXPECT_THAT(writer.error().message, HasSubstr("a.shardlens: SHARDLENS_JOURNAL is memory, expected"
                                                " wal or rollback"));
}

TEST(WriterLock, IsSeenUntilItIsReleased) {
  const ScratchFolder folder;
  const auto path = folder / "a.shardlens";
  EXPECT_FALSE(hasWriter(path));
  auto lock = std::make_unique<WriterLock>(path);
  EXPECT_TRUE(hasWriter(path));
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a.shardlens-live"});
  removeAbandonedLock(path);
  EXPECT_TRUE(hasWriter(path));
  lock.reset();
  EXPECT_FALSE(hasWriter(path));
  EXPECT_TRUE(folder.names().empty());
}

TEST(WriterLock, OfAnOlderWriterDoesNotRemoveThatOfANewerOne) {
  const ScratchFolder folder;
  const auto path = folder / "a.shardlens";
  auto older = TraceWriter::create(path).value();
  const auto newer = TraceWriter::create(path).value();
  ASSERT_FALSE(older->close());  // it was replaced
  EXPECT_TRUE(hasWriter(path));
}

TEST(WriterLock, ReportsAFileSystemWithoutLocks) {
  try {
    const WriterLock lock("/proc/a.shardlens");
    ADD_FAILURE() << "/proc has files that can be locked";
  } catch (const DatabaseError& problem) {
    EXPECT_THAT(problem.what(), HasSubstr("a.shardlens-live cannot be locked ("));
    EXPECT_THAT(problem.what(), HasSubstr("), expected a file system with file locks"));
  }
}

}  // namespace
}  // namespace shardlens
