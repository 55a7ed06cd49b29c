#pragma once

#include "core/base/result.h"
#include "core/model/rank_ranges.h"
#include "core/trace/file/progress.h"
#include "core/trace/journal/journal.h"
#include "core/view/words/placement_words.h"

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace shardlens {

// The part of a recording to export, and the notation of its placements in texts. A table of the
// whole recording cannot be exported with a step: that is an error. A table that depends on the
// position is exported after the step, or after the last event.
struct ExportPart {
  std::optional<int> step = {};  // index of the step; nullopt: the whole recording
  std::string table = {};        // name in csvTables(), used by "csv" only; empty: "events"
  view::Notation notation = view::Notation::DTensor;
  std::vector<RankRange> ranks = {};  // the lanes of "trace"; empty: all ranks
};

// Whether a format exports the whole recording, one step, or either.
enum class ExportSteps { All, One, AllOrOne };

// A format that a recording can be exported to.
struct ExportFormat {
  // Writes `part` and returns the names of the items that were left out. Requires part.step if
  // `steps` is One.
  using Write = Result<std::vector<std::string>>(const Journal& journal, const ExportPart& part,
                                                 std::ostream& out);
  std::string_view name;
  std::string_view ending;  // file name extension, with the dot
  std::string_view what;    // one-line description
  ExportSteps steps;
  Write* write;  // null for pictures, which the window draws
};
// Returns all formats. The span is valid for the life of the program.
std::span<const ExportFormat> exportFormats();

// Exports `part` of the recording to `path` and returns the names of the items that were left out.
// `format.write` must not be null.
// Writes to `path`.part and renames it at the end, so an existing file stays until the export has
// succeeded. If `path` exists and is not a regular file (a terminal, a pipe), writes to it
// directly. Returns an error if `path`.part exists or writing fails.
// Calls `progress` with 0 whenever the file buffer is full. If `progress` throws, removes
// `path`.part and rethrows.
Result<std::vector<std::string>> exportTo(const std::filesystem::path& path,
                                          const ExportFormat& format, const Journal& journal,
                                          const ExportPart& part, const Progress& progress = {});

}  // namespace shardlens
