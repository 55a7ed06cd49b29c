#include "tests/support/scratch_folder.h"

#include <stdlib.h>

#include <algorithm>

namespace shardlens {

ScratchFolder::ScratchFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "shardlens_XXXXXX").string();
  path_ = ::mkdtemp(name.data());
}

ScratchFolder::~ScratchFolder() {
  std::error_code code;
  std::filesystem::remove_all(path_, code);
}

std::vector<std::string> ScratchFolder::names() const {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    found.push_back(entry.path().filename().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace shardlens
