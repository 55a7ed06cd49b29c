#include "core/session/free_memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace shardlens {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

// What the two versions of control groups call the same.
struct GroupFiles {
  const char* folder;
  const char* limit;
  const char* used;
  const char* caches[2];  // in memory.stat, those of the groups below included
};
constexpr GroupFiles kVersion1{"memory",
                               "memory.limit_in_bytes",
                               "memory.usage_in_bytes",
                               {"total_inactive_file", "total_active_file"}};
constexpr GroupFiles kVersion2{
    "", "memory.max", "memory.current", {"inactive_file", "active_file"}};

// None where there is no number: "max".
std::optional<std::size_t> numberIn(const fs::path& path) {
  std::ifstream file(path);
  std::size_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

// Of a file with a name and a number a line.
std::optional<std::size_t> numberAfter(const fs::path& path, std::string_view name) {
  std::ifstream file(path);
  for (std::string word, rest; file >> word; std::getline(file, rest)) {
    std::size_t number = 0;
    if (word == name && file >> number) return number;
  }
  return std::nullopt;
}

std::size_t leftOf(const fs::path& group, const GroupFiles& files) {
  const auto limit = numberIn(group / files.limit);
  const auto used = numberIn(group / files.used);
  if (!limit || !used) return kUnlimited;
  std::size_t held = *used;
  for (const char* cache : files.caches) {
    held -= std::min(held, numberAfter(group / "memory.stat", cache).value_or(0));
  }
  return *limit - std::min(*limit, held);
}

// The files for a line of /proc/self/cgroup, "4:memory,hugetlb:/path" or "0::/path"; null where it
// is not about memory.
const GroupFiles* filesFor(std::string_view controllers) {
  if (controllers.empty()) return &kVersion2;
  const std::string list = ',' + std::string(controllers) + ',';
  return list.find(",memory,") == std::string::npos ? nullptr : &kVersion1;
}

}  // namespace

std::size_t freeMemory(const fs::path& root) {
  std::size_t least = kUnlimited;
  if (const auto kibibytes = numberAfter(root / "proc/meminfo", "MemAvailable:")) {
    least = *kibibytes * 1024;
  }
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string number, controllers, path; std::getline(groups, number, ':') &&
                                              std::getline(groups, controllers, ':') &&
                                              std::getline(groups, path);) {
    const GroupFiles* files = filesFor(controllers);
    if (files == nullptr) continue;
    // A limit holds for all groups below. Inside a container its own group may be the topmost.
    for (fs::path group = fs::path(path).relative_path();; group = group.parent_path()) {
      least = std::min(least, leftOf(root / "sys/fs/cgroup" / files->folder / group, *files));
      if (group.empty()) break;
    }
  }
  return least;
}

}  // namespace shardlens
