#pragma once

#include "core/base/result.h"
#include "core/trace/file/trace_writer.h"

#include <filesystem>
#include <memory>
#include <string>
#include <sys/types.h>
#include <utility>

namespace shardlens::cli {

// A recording that its destructor deletes, unless keep() was called or another recording replaced
// it.
class RecordingFile {
 public:
  // Creates the file, as TraceWriter::create() does. Errors of this object start with the name of
  // the option; the text `option` must outlive the object.
  static Result<RecordingFile> create(const std::filesystem::path& path,
                                      const char* option = "--record");
  ~RecordingFile();
  RecordingFile(RecordingFile&&) = default;
  RecordingFile& operator=(RecordingFile&&) = delete;

  EventSink& sink() { return *writer_; }
  // What to do with a recording that could not be written completely. Stays: keep the written part.
  // Goes: delete it.
  enum class Part { Stays, Goes };
  // Closes the writer and keeps the file. Call it once, when nothing writes to the sink any more.
  // Returns the error if not everything was written. Prints to standard error how long the run
  // waited for the disk, if it did.
  Result<void> keep(Part part);

 private:
  RecordingFile(std::filesystem::path path, std::unique_ptr<TraceWriter> writer,
                const char* option);

  std::filesystem::path path_;
  std::pair<dev_t, ino_t> identity_;     // of the file that create() made
  std::unique_ptr<TraceWriter> writer_;  // null once kept or moved from
  const char* option_;
};

// Creates the folder for the recordings of a run's processes. Deletes the recordings of an earlier
// run, which may have had more processes, and keeps other files.
Result<void> prepareRecordings(const std::filesystem::path& folder);
// Returns the file name of the process whose lowest rank is this.
std::string recordingName(int firstRank);

}  // namespace shardlens::cli
