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

// A file or folder among the samples.
std::filesystem::path sample(const std::string& name);

// A file of these bytes, in the folder.
std::filesystem::path written(const ScratchFolder& folder, const std::string& name,
                              std::string_view bytes);

// The bytes of a file, unpacked.
std::string unpacked(const std::filesystem::path& path);

// Dumps as one recording.
class Imported {
 public:
  explicit Imported(const std::vector<std::filesystem::path>& paths);

  const ImportReport& report() const { return report_; }
  const Journal& journal() const { return reader_->journal(); }
  // Those of a kind, as "all_reduce of 0 default_pg #2, ranks 0-3, 64 bytes".
  std::vector<std::string> collectives() const;
  // Name and how deep, indented, of the first events.
  std::vector<std::string> tree(EventId most) const;
  std::vector<std::string> problems(const std::string& rule) const;

 private:
  ScratchFolder folder_;
  ImportReport report_;
  std::unique_ptr<TraceReader> reader_;
};

// Why a file of these bytes is not imported, without the folder.
std::string refusalOf(std::string_view bytes);

}  // namespace shardlens
