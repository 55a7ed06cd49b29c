#pragma once

#include "core/base/result.h"
#include "core/trace/file/progress.h"
#include "core/trace/journal/journal.h"

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace shardlens {

// What of a recording is written.
struct ExportPart {
  std::optional<int> step = {};  // of the program; none: all of it
  std::string table = {};        // of CSV; empty: the events
};

// Which parts a format may have.
enum class ExportSteps { All, One, AllOrOne };

// What a recording can be written as.
struct ExportFormat {
  // Gives what was left out, a name each.
  using Write = Result<std::vector<std::string>>(const Journal& journal, const ExportPart& part,
                                                 std::ostream& out);
  std::string_view name;
  std::string_view ending;
  std::string_view what;
  ExportSteps steps;
  Write* write;  // null of a picture, which the window draws
};
std::span<const ExportFormat> exportFormats();

// Writes it to a file, and gives what was left out. What was there before stays until all is
// written; what is no file, a terminal or a pipe, is written as it is. `progress` is told again and
// again, without a figure, and may throw to end it: nothing is left then.
Result<std::vector<std::string>> exportTo(const std::filesystem::path& path,
                                          const ExportFormat& format, const Journal& journal,
                                          const ExportPart& part, const Progress& progress = {});

}  // namespace shardlens
