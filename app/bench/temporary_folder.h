#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <unistd.h>

namespace shardlens {

// A folder that is removed with its contents by the destructor. It is in TMPDIR if that is set,
// else in /dev/shm if possible, so that no disk is measured. A process may have one at a time,
// because the name consists of the process id.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_(root() / ("shardlens-bench." + std::to_string(getpid()))) {
    std::filesystem::create_directory(path_);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  // Ignores errors, because readers that close on another thread remove files of the folder too.
  ~TemporaryFolder() {
    std::error_code code;
    std::filesystem::remove_all(path_, code);
  }

  const std::filesystem::path& path() const { return path_; }

 private:
  static std::filesystem::path root() {
    const std::filesystem::path memory = "/dev/shm";
    const bool isFree = std::getenv("TMPDIR") == nullptr && access(memory.c_str(), W_OK) == 0;
    return isFree ? memory : std::filesystem::temp_directory_path();
  }

  std::filesystem::path path_;
};

}  // namespace shardlens
