#pragma once

#include "core/base/result.h"
#include "core/trace/file/trace_writer.h"

#include <filesystem>
#include <memory>
#include <string>

namespace shardlens::cli {

// A recording that goes with this object unless it is kept.
class RecordingFile {
 public:
  // What is wrong with it is said of this option.
  static Result<RecordingFile> create(const std::filesystem::path& path,
                                      const char* option = "--record");
  ~RecordingFile();
  RecordingFile(RecordingFile&&) = default;
  RecordingFile& operator=(RecordingFile&&) = delete;

  EventSink& sink() { return *writer_; }
  // Of what cannot be written whole: the part that was, whose end says so.
  enum class Part { Stays, Goes };
  // Brings everything to the file, once. To be called when nothing writes to the sink any more.
  Result<void> keep(Part part);

 private:
  RecordingFile(std::filesystem::path path, std::unique_ptr<TraceWriter> writer,
                const char* option);

  std::filesystem::path path_;
  std::unique_ptr<TraceWriter> writer_;  // none once it is kept or moved from
  const char* option_;
};

// The folder of a run whose processes each write a recording, made where there is none. Removes
// those of an earlier run, which might have had more processes; other files stay.
Result<void> prepareRecordings(const std::filesystem::path& folder);
std::string recordingName(int firstRank);

}  // namespace shardlens::cli
