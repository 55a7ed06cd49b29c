#pragma once

#include "core/base/result.h"
#include "core/trace/events/open_blocks.h"
#include "core/trace/events/open_segments.h"
#include "core/trace/events/value.h"
#include "core/trace/file/ballast.h"
#include "core/trace/file/contents.h"
#include "core/trace/file/database.h"
#include "core/trace/file/journal_mode.h"
#include "core/trace/file/trace_create.h"
#include "core/trace/file/trace_schema.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace shardlens {

// The data of one transaction. A reader therefore finds every text and tensor that an event refers
// to.
struct TraceBatch {
  std::vector<std::pair<std::string, std::string>> meta;
  std::vector<std::pair<StringId, std::string>> strings;
  std::vector<std::pair<SpecId, Spec>> specs;
  std::vector<std::pair<RouteId, Route>> routes;
  TensorId firstTensor = 0;
  std::vector<PackedTensor> tensors;  // tensors firstTensor, firstTensor + 1, ...
  std::vector<ValueRecord> values;
  std::vector<EventBlock> blocks;  // new or changed
  std::vector<Segment> segments;   // sealed now
  std::vector<std::pair<EventId, std::string>> bookmarks;
};

// The file of a TraceWriter. Each batch is one transaction. Not thread safe.
class TraceStore {
 public:
  // Creates the file, as createRecording() does. Its folder selects the journal mode; see
  // journalModeIn().
  static Result<std::unique_ptr<TraceStore>> create(const std::filesystem::path& path);

  // Commits the batch, or nothing of it if it returns an error.
  Result<void> write(const TraceBatch& batch);
  // Frees reserved space on a full disk, so that a last batch can be written.
  void freeReserve() { reserve_.drop(); }
  // Marks the recording as ended, checkpoints it into the one file, removes SQLite's side files and
  // marks the pages' checksums as valid. In WAL mode, if a reader still has the file open, its
  // connection removes the side files later, and the checksums stay unmarked, because that
  // connection may write pages. Returns an error if the file at the path was removed or replaced.
  // `waited`: how long the run was blocked by a slow disk.
  Result<void> finish(std::chrono::nanoseconds waited);

 private:
  TraceStore(NewRecording recording, JournalMode mode);
  void writeMeta(const TraceBatch& batch);
  void writeTensors(const TraceBatch& batch);
  void writeValues(const TraceBatch& batch);
  std::int64_t writeContent(const Content& content);
  void writeBlocks(const TraceBatch& batch);
  void writeSegment(const Segment& segment);
  const char* whyLost() const;  // why this file is not at the path any more; null if it is
  Error error(const DatabaseError& error) const;

  static constexpr std::size_t kReserve = std::size_t{1} << 20;

  std::filesystem::path path_;
  std::unique_ptr<WriterLock> lock_;  // released after database_ is closed
  DiskReserve reserve_;
  Database database_;
  Statement putMeta_;
  Statement putString_;
  Statement putSpec_;
  Statement putRoute_;
  Statement putTensors_;
  Statement putValue_;
  Statement putContent_;
  Statement putBlock_;
  Statement putSegment_;
  Statement putTotals_;
  Statement putBookmark_;
  std::int64_t revision_ = 0;
  KnownContents contents_;
  std::int64_t lastContent_ = 0;
};

}  // namespace shardlens
