#pragma once

#include "core/base/result.h"
#include "core/trace/file/progress.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace shardlens {

// One recording that importDumps() wrote.
struct ImportedDump {
  std::filesystem::path from;
  std::filesystem::path into;  // the recording's file
  std::string format;          // formatName() of the dump
  int rank = 0;
  std::uint64_t events = 0;
};

struct ImportReport {
  std::vector<ImportedDump> dumps;
  // One sentence for each omission and each assumption, such as a guessed rank.
  std::vector<std::string> notes;
};

// Converts other tools' dumps to recordings `into`/rank-N.shardlens.
// - `paths` are files or folders, all of one run and one format. The format is detected from each
//   file's content. Files in a folder that are not dumps are skipped with a note.
// - Most formats have one file per rank. NCCL logs may mix up to 256 ranks; an AutoParallel
//   solution covers all ranks and becomes one recording.
// - Creates `into` if needed. It must not contain .shardlens files.
// - Memory is bounded. Events that do not fit are spilled to an unnamed file in `into`.
//
// Returns an error if there is no path or no dump, and one that names the file and position if a
// dump is malformed. `progress` is called on this thread with 0 to 1 and may throw to cancel; the
// exception is passed on. In both cases all recordings written so far are removed; the folder
// stays.
Result<ImportReport> importDumps(const std::vector<std::filesystem::path>& paths,
                                 const std::filesystem::path& into, const Progress& progress = {});

}  // namespace shardlens
