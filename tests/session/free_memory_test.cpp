#include "core/session/free_memory.h"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <string>

namespace shardlens {
namespace {

namespace fs = std::filesystem;

// A root folder with the files that freeMemory() reads, in place of the machine's.
class Machine {
 public:
  Machine() { fs::remove_all(root_); }
  ~Machine() { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  std::size_t free() const { return freeMemory(root_); }

 private:
  fs::path root_ =
      fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST(FreeMemory, IsUnlimitedIfTheFreeMemoryIsUnknown) {
  EXPECT_EQ(Machine().free(), std::numeric_limits<std::size_t>::max());
}

TEST(FreeMemory, IsTheMachinesFreeMemoryWithoutLimits) {
  const Machine machine;
  machine.write("proc/meminfo", "MemTotal: 8000 kB\nMemFree: 100 kB\nMemAvailable: 5000 kB\n");
  EXPECT_EQ(machine.free(), 5000u << 10);
  machine.write("proc/self/cgroup", "0::/\n");
  machine.write("sys/fs/cgroup/memory.max", "max\n");
  machine.write("sys/fs/cgroup/memory.current", "4096000\n");
  EXPECT_EQ(machine.free(), 5000u << 10);
}

TEST(FreeMemory, IsTheRestOfAContainersLimit) {
  const Machine machine;
  machine.write("proc/meminfo", "MemAvailable: 5000 kB\n");
  machine.write("proc/self/cgroup", "0::/\n");
  machine.write("sys/fs/cgroup/memory.max", "1000000\n");
  machine.write("sys/fs/cgroup/memory.current", "900000\n");
  EXPECT_EQ(machine.free(), 100000u);
  machine.write("sys/fs/cgroup/memory.stat",
                "anon 1\nfile 9\ninactive_file 30000\nactive_file 4000\n");
  EXPECT_EQ(machine.free(), 134000u);
  machine.write("sys/fs/cgroup/memory.current", "2000000\n");
  EXPECT_EQ(machine.free(), 0u);
}

TEST(FreeMemory, IsTheRestOfTheTightestControlGroup) {
  const Machine machine;
  machine.write("proc/self/cgroup", "1:cpu:/jobs/one\n0::/jobs/one\n");
  machine.write("sys/fs/cgroup/jobs/memory.max", "1000\n");
  machine.write("sys/fs/cgroup/jobs/memory.current", "600\n");
  machine.write("sys/fs/cgroup/jobs/one/memory.max", "700\n");
  machine.write("sys/fs/cgroup/jobs/one/memory.current", "200\n");
  EXPECT_EQ(machine.free(), 400u);
}

TEST(FreeMemory, KnowsTheFirstVersionOfControlGroups) {
  const Machine machine;
  machine.write("proc/self/cgroup", "5:cpu:/\n4:hugetlb,memory:/jobs/one\n0::/\n");
  machine.write("sys/fs/cgroup/memory/jobs/one/memory.limit_in_bytes", "1000000\n");
  machine.write("sys/fs/cgroup/memory/jobs/one/memory.usage_in_bytes", "900000\n");
  machine.write("sys/fs/cgroup/memory/jobs/one/memory.stat",
                "inactive_file 1\ntotal_inactive_file 20000\ntotal_active_file 3000\n");
  EXPECT_EQ(machine.free(), 123000u);
}

}  // namespace
}  // namespace shardlens
