#pragma once

#include "core/trace/merge/run_summary.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace shardlens {

// The name of the manifest in the folder of a run.
inline constexpr const char* kManifestName = "shardlens-manifest.json";

// Returns the file without its summary: its path, size and time of the last write.
SummarizedFile stateOf(const std::filesystem::path& path);

// The summaries of the recordings in a folder, as a JSON file in it (FORMAT.md, "The manifest"). It
// is only a cache: the summary of a recording counts as long as size and time of its file have not
// changed. Reading and writing never fail: without a manifest, all recordings are summarised again.
class Manifest {
 public:
  // The manifest of no folder, which is empty.
  Manifest() = default;
  // Reads the manifest of a folder. Empty if it is missing, damaged, of a newer format, or not a
  // regular file.
  static Manifest read(const std::filesystem::path& folder);

  // Returns the summary of a recording in the folder, of its file as it was; null if it has none.
  const SummarizedFile* of(const std::filesystem::path& path) const;

  // Writes the manifest again if it does not contain the summaries of exactly these recordings,
  // where their writers have closed them: replaces the file atomically. Recordings that the
  // manifest contains stay in it if they are not in `present`, and a sentence about each is added
  // to `missing`. Writes nothing if the folder cannot be written, if the manifest is of a newer
  // format, or for fewer than two recordings.
  void update(const std::vector<SummarizedFile>& files,
              const std::vector<std::filesystem::path>& present,
              std::vector<std::string>& missing) const;

 private:
  void write(const std::map<std::string, const SummarizedFile*>& files) const;

  std::filesystem::path folder_;
  bool isNewer_ = false;
  std::map<std::string, SummarizedFile> files_;  // by name
};

}  // namespace shardlens
