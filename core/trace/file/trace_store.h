#pragma once

#include "core/base/result.h"
#include "core/trace/file/ballast.h"
#include "core/trace/file/contents.h"
#include "core/trace/file/database.h"
#include "core/trace/file/trace_schema.h"
#include "core/trace/journal/open_blocks.h"
#include "core/trace/journal/value.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace shardlens {

// What is written in one transaction, so that a reader finds every text and tensor that an event
// names.
struct TraceBatch {
  std::vector<std::pair<std::string, std::string>> meta;
  std::vector<std::pair<StringId, std::string>> strings;
  std::vector<std::pair<SpecId, SpecRecord>> specs;
  TensorId firstTensor = 0;
  std::vector<PackedTensor> tensors;  // from there on
  std::vector<ValueRecord> values;
  std::vector<EventBlock> blocks;  // that are new, or changed
  std::vector<std::pair<EventId, std::string>> bookmarks;
};

// The file behind a TraceWriter: made whole or not at all, then one transaction a batch. Not for
// two threads at once.
class TraceStore {
 public:
  static Result<std::unique_ptr<TraceStore>> create(const std::filesystem::path& path);

  Result<void> write(const TraceBatch& batch);
  // Makes room for a little more on a disk that is full.
  void dropBallast() { ballast_.drop(); }
  // Brings everything into the one file and removes SQLite's files beside it. While somebody still
  // follows the recording, those go when the last one leaves. `waited`: how long the run was held
  // back.
  Result<void> finish(std::chrono::nanoseconds waited);

 private:
  explicit TraceStore(const std::filesystem::path& path);
  void writeMeta(const TraceBatch& batch);
  void writeTensors(const TraceBatch& batch);
  void writeValues(const TraceBatch& batch);
  std::int64_t writeContent(const Content& content);
  void writeBlocks(const TraceBatch& batch);
  Error error(const DatabaseError& error) const;

  static constexpr std::size_t kBallast = std::size_t{1} << 20;

  std::filesystem::path path_;
  Ballast ballast_;
  Database database_;
  Statement putMeta_;
  Statement putString_;
  Statement putSpec_;
  Statement putTensors_;
  Statement putValue_;
  Statement putContent_;
  Statement putBlock_;
  Statement putBookmark_;
  std::int64_t revision_ = 0;
  KnownContents contents_;
  std::int64_t lastContent_ = 0;
};

}  // namespace shardlens
