#pragma once

#include "core/base/result.h"
#include "core/trace/file/progress.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace shardlens {

// What has become of a dump.
struct ImportedDump {
  std::filesystem::path from;
  std::filesystem::path into;  // the recording
  std::string format;
  int rank = 0;
  std::uint64_t events = 0;
};

struct ImportReport {
  std::vector<ImportedDump> dumps;
  // What was left out, and what is not sure of what was taken: a sentence each.
  std::vector<std::string> notes;
};

// Makes recordings, rank-N.shardlens in the folder `into`, of other tools' dumps: files, or folders
// of them, all of one run and one format, a file a rank (NCCL's text has several). Each is known by
// what stands in it. They stream through memory of a bounded size. Refuses what is no such dump,
// naming the file and where, and leaves no recording of it then. `progress` may throw to end it:
// then too.
Result<ImportReport> importDumps(const std::vector<std::filesystem::path>& paths,
                                 const std::filesystem::path& into, const Progress& progress = {});

}  // namespace shardlens
