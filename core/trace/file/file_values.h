#pragma once

#include "core/trace/file/database.h"
#include "core/trace/journal/journal.h"

#include <unordered_map>

namespace shardlens {

// The values of a recording, read from its file when somebody looks at them. Of their elements
// those read lately are kept, up to a bound.
class FileValues final : public ShardValues {
 public:
  // Of the journal, which is that of the recording. Both must outlive this.
  FileValues(Database& database, const Journal& journal);

  // Takes in what was written since; true when there was something.
  bool grow();

  std::size_t size() const override { return static_cast<std::size_t>(size_); }
  std::optional<ValueRecord> at(std::size_t number) const override;
  std::optional<ValueRecord> newest(TensorId tensor, int rank, EventId position) const override;
  std::vector<int> ranksOf(TensorId tensor) const override;
  Content elements(const ValueRecord& value) const override;
  std::vector<EventId> eventsWithNans(EventId after, EventId last) const override;
  std::string problem() const override { return problem_; }

 private:
  // What is newest of a tensor at a position, of each of its ranks: of hundreds of them a question
  // to the file each would take most of the time that they are drawn in.
  struct Newest {
    TensorId tensor = 0;
    EventId position = 0;
    std::int64_t size = 0;  // of all values then
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
  // Runs `look`; what it throws is a problem, and then the answer is this one.
  template <class Look, class Answer>
  Answer careful(const Look& look, Answer otherwise) const;

  static constexpr std::size_t kMostKept = std::size_t{32} << 20;

  Database& database_;
  const Journal& journal_;
  std::int64_t size_ = 0;
  // Looking changes none of what they say.
  mutable Statement at_;
  mutable Statement newest_;
  mutable Statement newestOfAll_;
  mutable Statement nextRank_;
  mutable Statement content_;
  mutable Statement nans_;
  mutable Newest asked_;          // last
  mutable bool isWhole_ = false;  // it has the values of all ranks; else one was asked for
  mutable std::unordered_map<std::int64_t, Content> kept_;    // those read last
  mutable std::unordered_map<std::int64_t, Content> before_;  // and before those
  mutable std::size_t keptBytes_ = 0;
  mutable std::string problem_;
};

// What a row of the table says: id, event, tensor, rank, shape, min, max, mean, nans, zeros, and
// NULL where there are only statistics. A DatabaseError where that cannot be.
ValueRecord valueAt(const Statement& row, const Journal& journal);
// So many bytes are the elements of this value.
std::size_t contentSize(const ValueRecord& value, const Journal& journal);

}  // namespace shardlens
