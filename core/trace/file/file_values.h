#pragma once

#include "core/trace/file/database.h"
#include "core/trace/journal/journal.h"

#include <unordered_map>

namespace shardlens {

// The values of a recording, read from its file on demand. Caches elements that were read recently:
// up to two generations of kMostKept bytes each. Never throws for a damaged file after grow(); the
// value is missing and problem() returns the first reason.
class FileValues final : public ShardValues {
 public:
  // `journal` must be loaded from the same recording. Both must outlive this object. Values are
  // visible after the first grow(). Throws DatabaseError if a table is missing.
  FileValues(Database& database, const Journal& journal);

  // Makes values visible that were written since the last call. Returns true if there are any.
  // Throws DatabaseError for an impossible id.
  bool grow();

  std::size_t size() const override { return static_cast<std::size_t>(size_); }
  std::optional<ValueRecord> at(std::size_t number) const override;
  std::optional<ValueRecord> newest(TensorId tensor, int rank, EventId position) const override;
  std::vector<int> ranksOf(TensorId tensor) const override;
  Content elements(const ValueRecord& value) const override;
  std::vector<EventId> eventsWithNans(EventId after, EventId last) const override;
  std::string problem() const override { return problem_; }

 private:
  // The newest values of a tensor at a position, by rank. Cached, because one query per rank would
  // dominate the time to draw hundreds of ranks.
  struct Newest {
    TensorId tensor = 0;
    EventId position = 0;
    std::int64_t size = 0;  // size_ when it was read
    std::unordered_map<int, ValueRecord> of;
    bool isOf(TensorId which, EventId at, std::int64_t of) const {
      return tensor == which && position == at && size == of;
    }
  };

  std::optional<ValueRecord> read(Statement& row) const;
  ValueRecord valueOf(const Statement& row) const;
  void readNewest(TensorId tensor, EventId position) const;
  Content readContent(const ValueRecord& value) const;
  void keep(std::int64_t id, const Content& content) const;
  // Returns load(). If that throws, records the problem and returns `otherwise`.
  template <class Load, class Answer>
  Answer careful(const Load& load, Answer otherwise) const;

  static constexpr std::size_t kMostKept = std::size_t{32} << 20;

  Database& database_;
  const Journal& journal_;
  std::int64_t size_ = 0;
  // Statements that const functions step; the results do not depend on their state.
  mutable Statement at_;
  mutable Statement newest_;
  mutable Statement newestOfAll_;
  mutable Statement nextRank_;
  mutable Statement content_;
  mutable Statement nans_;
  mutable Newest cached_;         // of the last newest()
  mutable bool isWhole_ = false;  // cached_ has the values of all ranks; else of none
  // The current generation of elements, by id.
  mutable std::unordered_map<std::int64_t, Content> kept_;
  mutable std::unordered_map<std::int64_t, Content> before_;  // the previous generation
  mutable std::size_t keptBytes_ = 0;
  mutable std::string problem_;
};

// Returns the value in a row with the columns id, event, tensor, rank, shape, min, max, mean, nans,
// zeros, content (NULL: no elements) and hash (NULL: none). Throws DatabaseError if the row is not
// possible. Does not set `content` and `data`.
ValueRecord valueAt(const Statement& row, const Journal& journal);
// Returns the size in bytes of the value's elements.
std::size_t contentSize(const ValueRecord& value, const Journal& journal);

}  // namespace shardlens
