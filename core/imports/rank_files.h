#pragma once

#include "core/base/result.h"
#include "core/imports/dump_format.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace shardlens {

// A dump, and whose it is.
struct RankFile {
  std::filesystem::path path;
  DumpFormat format;
  std::optional<int> said;  // by the file itself
  int rank = 0;
};

// The files that these are or have in them, in the order of their names.
struct ListedFile {
  std::filesystem::path path;
  bool isOfFolder;
};
std::vector<ListedFile> listedFiles(const std::vector<std::filesystem::path>& paths);

// Of whom each is: as the file says, else as its name does ("rank_3", "trace-3.json"), else as they
// stand; then it is noted. Refuses two of one rank. In the order of the ranks then.
Result<void> nameRanks(std::vector<RankFile>& files, std::vector<std::string>& notes);

}  // namespace shardlens
