#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace shardlens {

// A new temporary folder. The destructor removes it with its contents and ignores errors.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::vector<std::string> names() const;  // names of its entries, sorted

 private:
  std::filesystem::path path_;
};

}  // namespace shardlens
