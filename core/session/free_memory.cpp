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

// File names in one version of control groups.
struct GroupFiles {
  const char* folder;
  const char* limit;
  const char* used;
  const char* caches[2];  // keys in memory.stat, including child groups
};
constexpr GroupFiles kVersion1{"memory",
                               "memory.limit_in_bytes",
                               "memory.usage_in_bytes",
                               {"total_inactive_file", "total_active_file"}};
constexpr GroupFiles kVersion2{
    "", "memory.max", "memory.current", {"inactive_file", "active_file"}};

// Returns the number in a file, or nullopt if it contains none, as "max".
std::optional<std::size_t> numberIn(const fs::path& path) {
  std::ifstream file(path);
  std::size_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

// Returns the number on the line that starts with `name`, in a file of "name number" lines.
std::optional<std::size_t> numberAfter(const fs::path& path, std::string_view name) {
  std::ifstream file(path);
  for (std::string word, rest; file >> word; std::getline(file, rest)) {
    std::size_t number = 0;
    if (word == name && file >> number) return number;
  }
  return std::nullopt;
}

// Returns the group's limit minus its use without file caches; kUnlimited if it has no limit.
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

// Returns the files for the controllers of a line in /proc/self/cgroup, "4:memory,hugetlb:/path"
// (v1) or "0::/path" (v2). Returns null for other v1 controllers.
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
    // A group's limit includes its children, so check all ancestors. In a container, the process's
    // group may be mounted at the top.
    for (fs::path group = fs::path(path).relative_path();; group = group.parent_path()) {
      least = std::min(least, leftOf(root / "sys/fs/cgroup" / files->folder / group, *files));
      if (group.empty()) break;
    }
  }
  return least;
}

}  // namespace shardlens
