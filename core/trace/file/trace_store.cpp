#include "core/trace/file/trace_store.h"

#include "core/trace/events/packed_events.h"
#include "core/trace/file/trace_schema.h"
#include "core/trace/records/trace_rows.h"

#include <sqlite3.h>

#include <initializer_list>

namespace shardlens {

namespace {

// How long a commit waits for readers in rollback mode. A longer wait is an error.
constexpr std::chrono::seconds kReaderPatience{60};

// Binds the numbers to the parameters 1, 2, ... and runs the statement.
void bindAll(Statement& statement, std::initializer_list<std::int64_t> numbers) {
  int parameter = 0;
  for (const std::int64_t number : numbers) statement.bind(++parameter, number);
  statement.run();
}

constexpr const char* kRemoved = "the file was removed while it was recorded";
constexpr const char* kReplaced = "another recording replaced the file while it was recorded";

}  // namespace

TraceStore::TraceStore(NewRecording recording, JournalMode mode)
    : path_(std::move(recording.path)),
      lock_(std::move(recording.lock)),
      reserve_(path_.parent_path(), kReserve),
      database_(path_, Database::Access::ReadWrite),
      putMeta_(database_, "INSERT OR REPLACE INTO meta(key, value) VALUES(?, ?)"),
      putString_(database_, "INSERT INTO strings(id, text) VALUES(?, ?)"),
      putSpec_(database_,
               "INSERT INTO specs(id, dtype, shape, placements, mesh) VALUES(?, ?, ?, ?, ?)"),
      putRoute_(database_, "INSERT INTO routes(id, placements) VALUES(?, ?)"),
      putTensors_(database_, "INSERT INTO tensor_blocks(first, count, records) VALUES(?, ?, ?)"),
      putValue_(database_,
                "INSERT INTO shard_values(event, tensor, rank, shape, min, max, mean, nans, zeros,"
                " content, hash) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      putContent_(database_, "INSERT INTO contents(id, size, data) VALUES(?, ?, ?)"),
      putBlock_(database_,
                "INSERT OR REPLACE INTO blocks(first, count, revision, records)"
                " VALUES(?, ?, ?, ?)"),
      putSegment_(database_,
                  "INSERT INTO segments(first, count, least_step, greatest_step, start_time,"
                  " end_time, running, implicit, program) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      putTotals_(
          database_,
          "INSERT INTO segment_totals(segment, kind, verdict, subkind, mesh_dim, name, ranks,"
          " process_group, detail, count, bytes, time, exposed, least_sequence,"
          " greatest_sequence) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      putBookmark_(database_, "INSERT OR REPLACE INTO bookmarks(event, note) VALUES(?, ?)") {
  if (mode == JournalMode::Wal) {
    database_.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;");
  } else {
    // A commit waits for readers, which read in short transactions.
    database_.setPatience(kReaderPatience);
    database_.execute("PRAGMA journal_mode=DELETE; PRAGMA synchronous=NORMAL;");
  }
  // SQLite opens its side files with the first transaction. Force that now, because later another
  // recording may be at the path, with side files of the same names.
  database_.execute("BEGIN IMMEDIATE; COMMIT;");
}

Result<std::unique_ptr<TraceStore>> TraceStore::create(const std::filesystem::path& path) {
  auto recording = createRecording(path);
  if (!recording) return tl::unexpected(recording.error());
  const std::filesystem::path target = recording->path;
  const auto mode = journalModeIn(target.parent_path());
  if (!mode) return fail("cannot write " + target.string() + ": " + mode.error().message);
  try {
    return std::unique_ptr<TraceStore>(new TraceStore(std::move(*recording), *mode));
  } catch (const DatabaseError& problem) {
    return fail("cannot write " + target.string() + ": " + problem.what());
  }
}

const char* TraceStore::whyLost() const {
  if (database_.isInPlace()) return nullptr;
  std::error_code code;
  return std::filesystem::exists(path_, code) ? kReplaced : kRemoved;
}

Error TraceStore::error(const DatabaseError& error) const {
  const char* lost = whyLost();
  return Error{"cannot write " + path_.string() + ": " + (lost != nullptr ? lost : error.what())};
}

Result<void> TraceStore::write(const TraceBatch& batch) {
  try {
    Transaction transaction(database_);
    writeMeta(batch);
    writeTensors(batch);
    writeValues(batch);
    writeBlocks(batch);
    for (const auto& segment : batch.segments) writeSegment(segment);
    for (const auto& [event, note] : batch.bookmarks) {
      putBookmark_.bind(1, std::int64_t{event}).bind(2, std::string_view(note)).run();
    }
    transaction.commit();
    return {};
  } catch (const DatabaseError& problem) {
    return tl::unexpected(error(problem));
  }
}

void TraceStore::writeMeta(const TraceBatch& batch) {
  for (const auto& [key, value] : batch.meta) {
    putMeta_.bind(1, std::string_view(key)).bind(2, std::string_view(value)).run();
  }
  for (const auto& [id, text] : batch.strings) {
    putString_.bind(1, std::int64_t{id}).bind(2, std::string_view(text)).run();
  }
}

void TraceStore::writeTensors(const TraceBatch& batch) {
  for (const auto& [id, spec] : batch.specs) {
    const std::string shape = shapeJson(spec.meta.shape);
    const std::string placements = placementsJson(spec.placements);
    const std::string mesh = spec.mesh ? meshJson(*spec.mesh) : std::string();
    putSpec_.bind(1, std::int64_t{id}).bind(2, dtypeName(spec.meta.dtype));
    putSpec_.bind(3, std::string_view(shape)).bind(4, std::string_view(placements));
    (spec.mesh ? putSpec_.bind(5, std::string_view(mesh)) : putSpec_.bindNull(5)).run();
  }
  for (const auto& [id, route] : batch.routes) {
    const std::string placements = routeJson(route);
    putRoute_.bind(1, std::int64_t{id}).bind(2, std::string_view(placements)).run();
  }
  if (batch.tensors.empty()) return;
  putTensors_.bind(1, std::int64_t{batch.firstTensor});
  putTensors_.bind(2, static_cast<std::int64_t>(batch.tensors.size()));
  putTensors_.bind(3, std::as_bytes(std::span(batch.tensors))).run();
}

void TraceStore::writeValues(const TraceBatch& batch) {
  const Shape* shapeOf = nullptr;
  std::string shape;  // of the previous value; most values have the same shape
  for (const auto& value : batch.values) {
    if (shapeOf == nullptr || value.shape != *shapeOf) shape = shapeJson(value.shape);
    shapeOf = &value.shape;
    const Statistics& statistics = value.statistics;
    putValue_.bind(1, std::int64_t{value.event}).bind(2, std::int64_t{value.tensor});
    putValue_.bind(3, std::int64_t{value.rank}).bind(4, std::string_view(shape));
    putValue_.bind(5, statistics.min).bind(6, statistics.max).bind(7, statistics.mean);
    putValue_.bind(8, statistics.nans).bind(9, statistics.zeros);
    const bool hasHash = value.level == CaptureLevel::Hashes;
    hasHash ? putValue_.bind(11, static_cast<std::int64_t>(value.hash)) : putValue_.bindNull(11);
    if (value.data == nullptr) {
      putValue_.bindNull(10).run();
    } else {
      putValue_.bind(10, writeContent(value.data)).run();
    }
  }
}

std::int64_t TraceStore::writeContent(const Content& content) {
  const std::int64_t id = contents_.idOf(content, lastContent_ + 1);
  if (id <= lastContent_) return id;
  const auto packed = packContent(*content);
  putContent_.bind(1, id).bind(2, static_cast<std::int64_t>(content->size()));
  putContent_.bind(3, std::span(packed)).run();
  return lastContent_ = id;
}

void TraceStore::writeBlocks(const TraceBatch& batch) {
  if (!batch.blocks.empty()) ++revision_;
  for (const auto& block : batch.blocks) {
    putBlock_.bind(1, std::int64_t{block.first});
    putBlock_.bind(2, static_cast<std::int64_t>(block.events.size())).bind(3, revision_);
    const auto packed = packEvents(block);
    putBlock_.bind(4, std::span(packed)).run();
  }
}

void TraceStore::writeSegment(const Segment& segment) {
  const EventTotals& totals = segment.totals;
  const std::int64_t first = segment.first;
  bindAll(putSegment_, {first, totals.count(), totals.leastStep(), totals.greatestStep(),
                        totals.begin(), totals.end(), totals.running(), totals.implicit(),
                        static_cast<std::int64_t>(segment.program)});
  for (const auto& [key, of] : totals.all()) {
    bindAll(putTotals_,
            {first, static_cast<std::int64_t>(key.kind), static_cast<std::int64_t>(key.verdict),
             key.subkind, key.meshDim, key.name, key.ranks, key.group, key.detail, of.count,
             of.bytes, of.nanoseconds, of.exposed, of.leastSequence, of.greatestSequence});
  }
}

Result<void> TraceStore::finish(std::chrono::nanoseconds waited) {
  // A new recording at the path has side files of its own.
  if (const char* lost = whyLost()) return fail("cannot write " + path_.string() + ": " + lost);
  try {
    if (waited.count() > 0) {
      const std::string text = std::to_string(waited.count());
      putMeta_.bind(1, std::string_view("waited")).bind(2, std::string_view(text)).run();
    }
    putMeta_.bind(1, kEndedKey).bind(2, std::string_view("1")).run();
    database_.setPatience(std::chrono::milliseconds(0));
    database_.execute("PRAGMA wal_checkpoint(TRUNCATE);");
    database_.execute("PRAGMA journal_mode=DELETE;");
    database_.setPatience(Database::kPatience);
    putMeta_.bind(1, kSealedKey).bind(2, std::string_view("1")).run();
    return {};
  } catch (const DatabaseError& problem) {
    if (problem.code() == SQLITE_BUSY || problem.code() == SQLITE_LOCKED) return {};
    return tl::unexpected(error(problem));
  }
}

}  // namespace shardlens
