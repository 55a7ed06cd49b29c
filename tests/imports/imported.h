#pragma once

#include "core/imports/import_dumps.h"
#include "core/imports/input/byte_source.h"
#include "core/trace/merge/trace_reader.h"
#include "tests/support/scratch_folder.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// Returns the path of a file or folder among the samples. Does not check that it exists.
std::filesystem::path sample(const std::string& name);

// Writes a file with these bytes into the folder, and returns its path.
std::filesystem::path written(const ScratchFolder& folder, const std::string& name,
                              std::string_view bytes);

// Returns the decompressed bytes of a file.
std::string unpacked(const std::filesystem::path& path);

// Dumps, imported into a scratch folder as one recording. The constructor throws if that fails.
class Imported {
 public:
  explicit Imported(const std::vector<std::filesystem::path>& paths);

  const ImportReport& report() const { return report_; }
  const Journal& journal() const { return reader_->journal(); }
  // Returns the collectives as "all_reduce of 0 default_pg #2, ranks 0-3, 64 bytes".
  std::vector<std::string> collectives() const;
  // Returns kind and name of the first `most` events, indented by two spaces per level.
  std::vector<std::string> tree(EventId most) const;
  std::vector<std::string> problems(const std::string& rule) const;

 private:
  ScratchFolder folder_;
  ImportReport report_;
  std::unique_ptr<TraceReader> reader_;
};

// Imports a file with these bytes and returns the error without the path, or "imported".
std::string refusalOf(std::string_view bytes);

}  // namespace shardlens
