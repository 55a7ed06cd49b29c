#pragma once

#include "core/base/result.h"
#include "core/imports/dump_format.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace shardlens {

// A dump file and its rank.
struct RankFile {
  std::filesystem::path path;
  DumpFormat format;
  std::optional<int> stated;  // rank stated in the file, if any
  int rank = 0;               // set by nameRanks()
};

// A file found by listedFiles().
struct ListedFile {
  std::filesystem::path path;
  bool isOfFolder;  // false: its path was given by the caller
};
// Expands folders to their regular, non-hidden files, sorted by path. Does not descend into
// subfolders. Other paths are returned as they are, also if the file is missing.
std::vector<ListedFile> listedFiles(const std::vector<std::filesystem::path>& paths);

// Removes each file without extension beside which the same name with an extension is listed, as
// "rank_0" beside "rank_0.json": these are two forms of one dump. Appends a note per removed file.
void leaveOutCopies(std::vector<RankFile>& files, std::vector<std::string>& notes);

// Sets the rank of each file and sorts the files by rank. The rank is the stated one, else a number
// in the file name ("rank_3", "trace-3.json"). If one file has neither, all files are numbered by
// their position instead. Appends a note if any rank was not stated. Returns an error if two files
// have the same rank.
Result<void> nameRanks(std::vector<RankFile>& files, std::vector<std::string>& notes);

}  // namespace shardlens
