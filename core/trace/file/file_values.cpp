#include "core/trace/file/file_values.h"

#include "core/model/spec.h"
#include "core/trace/file/contents.h"
#include "core/trace/file/trace_open.h"
#include "core/trace/records/trace_rows.h"

#include <fmt/core.h>
#include <sqlite3.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace shardlens {

namespace {

[[noreturn]] void refuse(std::int64_t value, const std::string& what) {
  throw DatabaseError(SQLITE_CORRUPT, fmt::format("value {} {}", value, what));
}

// Recordings before format 5.2 have no hashes.
std::string columnsOf(Database& database) {
  const bool hasHashes =
      database.integer(
          "SELECT count(*) FROM pragma_table_info('shard_values') WHERE name='hash'") != 0;
  return std::string(" id, event, tensor, rank, shape, min, max, mean, nans, zeros, content, ") +
         (hasHashes ? "hash" : "NULL");
}

std::string selectValue(Database& database, const char* which) {
  return "SELECT" + columnsOf(database) + " FROM shard_values WHERE " + which;
}

// Steps from rank to rank along the index, which may have very many rows per rank.
std::string selectNewestOfAll(Database& database) {
  return "WITH RECURSIVE of(r) AS (SELECT min(rank) FROM shard_values WHERE tensor=?1 UNION ALL"
         " SELECT (SELECT min(rank) FROM shard_values WHERE tensor=?1 AND rank>r) FROM of"
         " WHERE r IS NOT NULL)"
         " SELECT" +
         columnsOf(database) +
         " FROM of CROSS JOIN shard_values ON id = (SELECT id FROM shard_values"
         " WHERE tensor=?1 AND rank=r AND event<=?2 AND id<=?3"
         " ORDER BY event DESC, id DESC LIMIT 1)";
}

}  // namespace

std::size_t contentSize(const ValueRecord& value, const Journal& journal) {
  const DType dtype = journal.tensor(value.tensor).dtype;
  return static_cast<std::size_t>(elementCount(value.shape) * dtypeSize(dtype));
}

FileValues::FileValues(Database& database, const Journal& journal, const StepSlice* slice)
    : database_(database),
      journal_(journal),
      slice_(slice),
      at_(database, selectValue(database, "id=?")),
      newest_(database, selectValue(database,
                                    "tensor=? AND rank=? AND event<=? AND id<=?"
                                    " ORDER BY event DESC, id DESC LIMIT 1")),
      newestOfAll_(database, selectNewestOfAll(database)),
      nextRank_(database, "SELECT min(rank) FROM shard_values WHERE tensor=? AND rank>?"),
      content_(database, "SELECT size, data FROM contents WHERE id=?"),
      nans_(database,
            "SELECT DISTINCT event FROM shard_values WHERE nans > 0 AND event > ? AND event <= ?"
            " ORDER BY event") {}

bool FileValues::grow() {
  // Each row takes some bytes, so an id above file size / kLeastBytes is damage.
  constexpr std::int64_t kLeastBytes = 8;
  const std::int64_t size = database_.integer("SELECT coalesce(max(id), 0) FROM shard_values");
  const std::int64_t bytes =
      database_.integer("PRAGMA page_count") * database_.integer("PRAGMA page_size");
  if (size < size_ || size > bytes / kLeastBytes) refuse(size, "is not one of so many");
  if (slice_ == nullptr) return std::exchange(size_, size) != size;
  skipped_ = std::min(size, slice_->firstValue);
  const std::int64_t last = std::min(size, slice_->lastValue);
  return std::exchange(size_, last) != last;
}

template <class Load, class Answer>
Answer FileValues::careful(const Load& load, Answer otherwise) const {
  try {
    return load();
  } catch (const DatabaseError& damage) {
    if (problem_.empty()) problem_ = damage.what();
  }
  return otherwise;
}

std::optional<ValueRecord> FileValues::at(std::size_t number) const {
  const Statement::Rows rows(at_);
  at_.bind(1, skipped_ + static_cast<std::int64_t>(number) + 1);
  return read(at_);
}

std::optional<ValueRecord> FileValues::newest(TensorId tensor, int rank, EventId position) const {
  if (cached_.isOf(tensor, position, size_)) {
    if (!isWhole_) readNewest(tensor, position);
    const auto found = cached_.of.find(rank);
    return found == cached_.of.end() ? std::nullopt : std::optional(found->second);
  }
  cached_ = {tensor, position, size_, {}};
  isWhole_ = false;
  const Statement::Rows rows(newest_);
  newest_.bind(1, std::int64_t{ownTensorOf(tensor)}).bind(2, std::int64_t{rank});
  newest_.bind(3, std::int64_t{ownEventOf(position)}).bind(4, size_);
  return read(newest_);
}

void FileValues::readNewest(TensorId tensor, EventId position) const {
  isWhole_ = true;
  const Statement::Rows rows(newestOfAll_);
  newestOfAll_.bind(1, std::int64_t{ownTensorOf(tensor)});
  newestOfAll_.bind(2, std::int64_t{ownEventOf(position)}).bind(3, size_);
  while (careful([&] { return newestOfAll_.step(); }, false)) {
    const auto value =
        careful([&]() -> std::optional<ValueRecord> { return valueOf(newestOfAll_); },
                std::optional<ValueRecord>());
    if (value) cached_.of.emplace(value->rank, *value);
  }
}

// Returns a number above that of all events for one that does not exist.
EventId FileValues::eventOf(std::int64_t own) const {
  if (own < 0 || own > std::numeric_limits<EventId>::max()) return journal_.size() + 1;
  const auto event = static_cast<EventId>(own);
  return slice_ != nullptr ? slice_->ids.eventOf(event) : event;
}

// Returns 0 for a tensor that does not exist.
TensorId FileValues::tensorOf(std::int64_t own) const {
  if (own < 1 || own > std::numeric_limits<TensorId>::max()) return 0;
  const auto tensor = static_cast<TensorId>(own);
  return slice_ != nullptr ? slice_->ids.tensorOf(tensor) : tensor;
}

ValueRecord FileValues::valueOf(const Statement& row) const {
  const std::int64_t id = row.integer(0), rank = row.integer(3);
  const EventId event = eventOf(row.integer(1));
  const TensorId tensor = tensorOf(row.integer(2));
  if (event > journal_.size() || tensor < 1 || tensor > journal_.tensors() || rank < 0 ||
      rank > std::numeric_limits<int>::max()) {
    refuse(id, "refers to a missing entry");
  }
  const TensorRecord record = journal_.tensor(tensor);
  auto shape = parseShapeJson(row.text(4));
  const bool isPlaced = !record.placements.empty();
  if (!shape || (isPlaced && shape->size() != record.shape.size())) {
    refuse(id, "has the shape " + excerpt(row.text(4)) + ", of a tensor of shape " +
                   toText(record.shape));
  }
  ValueRecord value;
  value.event = event;
  value.tensor = tensor;
  value.rank = static_cast<int>(rank);
  value.shape = std::move(*shape);
  value.statistics = {row.real(5), row.real(6), row.real(7), row.integer(8), row.integer(9)};
  value.level = row.isNull(10) ? CaptureLevel::Statistics : CaptureLevel::All;
  if (value.level == CaptureLevel::All) {
    value.content = row.integer(10);
  } else if (!row.isNull(11)) {
    value.level = CaptureLevel::Hashes;
    value.hash = static_cast<std::uint64_t>(row.integer(11));
  }
  return value;
}

std::optional<ValueRecord> FileValues::read(Statement& row) const {
  return careful(
      [&]() -> std::optional<ValueRecord> {
        if (!row.step()) return std::nullopt;
        // No event of the slice refers to the tensor.
        if (slice_ != nullptr && tensorOf(row.integer(2)) == 0) return std::nullopt;
        return valueOf(row);
      },
      std::optional<ValueRecord>());
}

std::vector<int> FileValues::ranksOf(TensorId tensor) const {
  std::vector<int> ranks;
  careful(
      [&] {
        for (std::int64_t rank = -1;;) {
          const Statement::Rows rows(nextRank_);
          nextRank_.bind(1, std::int64_t{ownTensorOf(tensor)}).bind(2, rank);
          if (!nextRank_.step() || nextRank_.isNull(0)) return true;
          const std::int64_t next = nextRank_.integer(0);
          if (next <= rank || next > std::numeric_limits<int>::max()) return true;  // damaged
          ranks.push_back(static_cast<int>(rank = next));
        }
      },
      true);
  return ranks;
}

std::vector<EventId> FileValues::eventsWithNans(EventId after, EventId last) const {
  std::vector<EventId> events;
  careful(
      [&] {
        const Statement::Rows rows(nans_);
        const std::int64_t first = ownEventOf(after);
        const std::int64_t newest = ownEventOf(std::min(last, journal_.size()));
        nans_.bind(1, first).bind(2, newest);
        while (nans_.step()) {
          // A damaged file may contain 0.5, which passes the condition but is not an id.
          const std::int64_t event = nans_.integer(0);
          const EventId id = event > first && event <= newest ? eventOf(event) : 0;
          if (id > after) events.push_back(id);
        }
        return true;
      },
      true);
  return events;
}

Content FileValues::elements(const ValueRecord& value) const {
  if (value.level != CaptureLevel::All) return nullptr;
  for (const auto* known : {&kept_, &before_}) {
    const auto found = known->find(value.content);
    if (found != known->end() && found->second->size() == contentSize(value, journal_)) {
      return found->second;
    }
  }
  auto content = careful([&] { return readContent(value); }, Content());
  if (content != nullptr) keep(value.content, content);
  return content;
}

Content FileValues::readContent(const ValueRecord& value) const {
  const auto damaged = [&](const std::string& what) {
    throw DatabaseError(SQLITE_CORRUPT, fmt::format("content {} {}", value.content, what));
  };
  const Statement::Rows rows(content_);
  content_.bind(1, value.content);
  if (!content_.step()) damaged("is missing");
  const auto expected = static_cast<std::int64_t>(contentSize(value, journal_));
  const std::int64_t size = content_.integer(0);
  if (size != expected) damaged(fmt::format("has {} bytes, expected {}", size, expected));
  auto content = unpackContent(content_.blob(1), static_cast<std::size_t>(expected));
  if (content == nullptr) damaged(fmt::format("is not that of {} bytes", expected));
  return content;
}

// Starts a new generation when the current one is full, and drops the previous one.
void FileValues::keep(std::int64_t id, const Content& content) const {
  if (keptBytes_ + content->size() > kMostKept) {
    before_ = std::exchange(kept_, {});
    keptBytes_ = 0;
  }
  if (kept_.emplace(id, content).second) keptBytes_ += content->size();
}

}  // namespace shardlens
