#pragma once

#include "core/trace/file/database.h"
#include "core/trace/file/file_values.h"
#include "core/trace/file/progress.h"
#include "core/trace/file/upgrade.h"
#include "core/trace/journal/journal.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace shardlens {

// Loads new data of a recording into a journal, in one read transaction per call, so that
// everything an event refers to is loaded with it. Validates every row and throws DatabaseError for
// impossible ones, so that users of the journal need no checks. Not thread safe.
class TraceLoader {
 public:
  // `database`: from openRecording(). Loads nothing yet. Throws DatabaseError if a table is
  // missing.
  explicit TraceLoader(std::unique_ptr<Database> database);

  // Loads new data: about `most` events, or other rows of comparable work. Returns true if
  // something was loaded. isBehind() then reports whether there may be more. Loads nothing while
  // the writer commits without a WAL. Loads a recording of format 4.0 in one call.
  bool load(std::int64_t most);
  // Loads all data that is committed, in transactions that are short enough for a writer without a
  // WAL, whose commits wait for them. An exception of `progress` passes to the caller.
  void loadAll(const Progress& progress = {});
  // The journal so far: always the same object, owned by the loader.
  const Journal& journal() const { return journal_; }
  // Returns the journal, whose values the caller must replace before this object ends. Call no
  // other function then.
  Journal takeJournal() { return std::move(journal_); }
  // Returns true if more data may come: the last load was partial, or the writer is alive or has
  // written since. If the writer was killed, merges its side files into the recording, as far as
  // other readers permit it.
  bool mayGrow();
  // True if the last load may have left data unread.
  bool isBehind() const { return isBehind_; }
  // True if the writer closed the recording.
  bool isClosed() const { return closed_; }

 private:
  bool read(std::int64_t most, const Progress& progress);
  void mergeSideFiles();
  // Each loads new rows of one table while `most` is positive, and returns true if there were any.
  bool loadMeta();
  bool loadBookmarks();
  bool loadStrings(std::int64_t& most);
  bool loadSpecs(std::int64_t& most);
  bool loadRoutes(std::int64_t& most);
  bool loadTensors(std::int64_t& most);
  bool loadBlocks(std::int64_t& most, const Progress& progress);
  void findBlocks();
  void loadBlock(EventId first);
  void take(EventId id, const Event& event, std::span<const TensorId> inputs);
  void checkBlock(const EventBlock& block);
  void checkEvent(EventId id, const Event& event) const;
  bool refersToKnownIds(EventId id, const Event& event) const;

  std::unique_ptr<Database> database_;
  Statement meta_;
  Statement strings_;
  Statement specs_;
  std::optional<Statement> routes_;  // not in format 4.0
  Statement tensors_;
  Statement changed_;
  Statement block_;
  Statement bookmarks_;
  FileValues* values_ = nullptr;  // owned by journal_
  EventBlock unpacked_;
  std::vector<bool> isLookup_;  // by event id: is it a CacheLookup
  Journal journal_;
  std::optional<UpgradeFromFormat4> upgrade_;  // for a recording of format 4.0
  std::int64_t dataVersion_ = -1;
  std::int64_t revision_ = 0;
  std::deque<std::int64_t> blocks_;  // first events of changed blocks that are still to load
  std::size_t found_ = 0;            // size of blocks_ when they were found
  std::int64_t newest_ = 0;          // highest revision among blocks_
  bool isBehind_ = false;            // the last load was partial
  bool ended_ = false;               // no more data will come
  bool closed_ = false;              // the file is marked as ended
};

}  // namespace shardlens
