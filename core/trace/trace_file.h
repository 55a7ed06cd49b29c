#pragma once

#include "core/base/result.h"
#include "core/trace/event_sink.h"
#include "core/trace/journal.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace shardlens {

// Writes a recording (FORMAT.md) while it happens. Appending costs a copy into memory: a thread of
// its own brings full blocks to the file, and the one being filled at least every 50 ms, so that a
// reader can follow and a kill loses at most those. Refuses a path that cannot be written; close()
// (or the destructor) flushes. A second writer on the same file replaces it.
class TraceWriter final : public EventSink {
 public:
  static Result<std::unique_ptr<TraceWriter>> create(const std::filesystem::path& path);
  ~TraceWriter() override;

  // Everything appended so far is in the file when this returns, or why it is not: what could not
  // be written once (a full disk) stays the answer from then on, and nothing more is kept.
  Result<void> flush();
  // Writes the rest and leaves one file, with nothing beside it. What comes later is not recorded.
  Result<void> close();

  void onMeta(std::string_view key, std::string_view value) override;
  void onString(StringId id, std::string_view text) override;
  void onTensor(const TensorRecord& tensor) override;
  void onEvent(EventId id, const Event& event) override;
  void onValue(const ValueRecord& value) override;
  void onEnd(EventId id, const Event& event) override;

 private:
  class Impl;
  explicit TraceWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Reads a recording, finished or still growing; or those that the processes of a run wrote, as one
// (FORMAT.md). Refuses, naming the file, what is not a recording, is of a newer version, is
// damaged, or is of another run than the others. Of a folder, only the last: it opens without the
// files that cannot be opened, unless that is all of them.
class TraceReader {
 public:
  // A file; a folder of them, which others may join later.
  static Result<std::unique_ptr<TraceReader>> open(const std::filesystem::path& path);
  static Result<std::unique_ptr<TraceReader>> open(const std::vector<std::filesystem::path>& paths);
  ~TraceReader();

  // When a process joins, or goes on after settle(), there is another; the one before is good until
  // the next refresh().
  const Journal& journal() const;
  // Takes in what was written since; true when there was something. Of several processes, what all
  // of them have got to.
  Result<bool> refresh();
  // Takes in also what only some processes have got to, as if the others were not to go on; true
  // when there was something. Done by itself when nobody writes any more.
  bool settle();
  // Somebody may still write.
  bool mayGrow();
  // The ranks whose process went without closing its recording, ascending: it died.
  std::vector<int> lostRanks();
  // Why files of the folder are not part of it: a sentence each, naming the file.
  std::vector<std::string> leftOut() const;

 private:
  class Impl;
  explicit TraceReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Copies a recording as far as it goes, also while somebody writes to it: the copy is one that has
// been closed there. Refuses, as TraceWriter does, to replace what is no recording.
Result<void> copyRecording(const std::filesystem::path& source, const std::filesystem::path& path);

}  // namespace shardlens
