#include "core/trace/merge/file_limit.h"

#include <fmt/core.h>

#include <algorithm>

#if __has_include(<sys/resource.h>)
#include <cerrno>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace shardlens {
namespace {

constexpr std::size_t kOthers = 128;  // files that the program holds open besides recordings

std::size_t limitOfFiles() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? static_cast<std::size_t>(limit.rlim_cur) : 0;
}

}  // namespace

void raiseFileLimit(std::size_t needed) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const auto wanted = std::min<rlim_t>(needed + kOthers, limit.rlim_max);
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = wanted;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

std::size_t mostOpenRecordings() { return std::min(kMostOpenRecordings, limitOfFiles() / 4); }

std::optional<std::string> reachedFileLimit() {
  const int file = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (file >= 0) ::close(file);
  if (file >= 0 || errno != EMFILE) return std::nullopt;
  return fmt::format(
      "this process has reached its limit of {} open files: raise it, for example with ulimit -n "
      "{}",
      limitOfFiles(), 4 * limitOfFiles());
}

}  // namespace shardlens

#else

namespace shardlens {

void raiseFileLimit(std::size_t /*needed*/) {}
std::size_t mostOpenRecordings() { return kMostOpenRecordings; }
std::optional<std::string> reachedFileLimit() { return std::nullopt; }

}  // namespace shardlens

#endif
