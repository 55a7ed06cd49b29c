#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace shardlens {

// A folder of a test's own, gone with it.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::vector<std::string> names() const;  // of what is in it, sorted

 private:
  std::filesystem::path path_;
};

}  // namespace shardlens
