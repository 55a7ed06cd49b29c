#include "core/trace/file/trace_loader.h"

#include "core/trace/events/packed_events.h"
#include "core/trace/file/checked_rows.h"
#include "core/trace/file/trace_open.h"
#include "core/trace/file/trace_schema.h"
#include "core/trace/file/upgrade.h"
#include "core/trace/file/writer_lock.h"
#include "core/trace/records/trace_rows.h"

#include <fmt/core.h>
#include <sqlite3.h>

#include <cstring>
#include <limits>
#include <utility>

namespace shardlens {

namespace {

// Events per transaction, or comparable work: a fraction of a second.
constexpr std::int64_t kMostOfTransaction = 1024 * kBlockEvents;

}  // namespace

TraceLoader::TraceLoader(std::unique_ptr<Database> database)
    : database_(std::move(database)),
      meta_(*database_, "SELECT key, value FROM meta"),
      strings_(*database_, "SELECT id, text FROM strings WHERE id > ? ORDER BY id"),
      specs_(*database_,
             "SELECT id, dtype, shape, placements, mesh FROM specs WHERE id > ? ORDER BY id"),
      tensors_(*database_,
               "SELECT first, count, records FROM tensor_blocks WHERE first > ? ORDER BY first"),
      changed_(*database_, "SELECT first, revision FROM blocks WHERE revision > ? ORDER BY first"),
      block_(*database_, "SELECT count, records FROM blocks WHERE first = ?"),
      bookmarks_(*database_, "SELECT event, note FROM bookmarks ORDER BY event") {
  auto values = std::make_unique<FileValues>(*database_, journal_);
  values_ = values.get();
  journal_.keepValuesIn(std::move(values));
  if (database_->integer("PRAGMA user_version") == kOldestFormat) {
    upgrade_.emplace(journal_);
  } else {
    routes_.emplace(*database_, "SELECT id, placements FROM routes WHERE id > ? ORDER BY id");
  }
}

bool TraceLoader::load(std::int64_t most) {
  try {
    return read(most, {});
  } catch (const DatabaseError& problem) {
    if (problem.code() == SQLITE_BUSY) return false;
    throw;
  }
}

void TraceLoader::loadAll(const Progress& progress) {
  while (read(kMostOfTransaction, progress)) {
  }
}

// Events refer to texts, specs, routes and tensors, so events are loaded only after all of those.
// Of a recording of the previous format, everything but the bookmarks is loaded once.
bool TraceLoader::read(std::int64_t most, const Progress& progress) {
  const std::int64_t version = database_->integer("PRAGMA data_version");
  if (version == dataVersion_ && !isBehind_) return false;
  if (upgrade_ && dataVersion_ != -1) {
    dataVersion_ = version;
    return loadBookmarks();
  }
  if (upgrade_) most = std::numeric_limits<std::int64_t>::max();
  Transaction transaction(*database_);
  const bool hadBlocks = !blocks_.empty();
  bool any = loadMeta();
  any |= loadBookmarks();
  any |= loadStrings(most);
  any |= loadSpecs(most);
  any |= loadRoutes(most);
  any |= loadTensors(most);
  any |= loadBlocks(most, progress);
  if (most > 0) any |= values_->grow();
  transaction.commit();
  // Blocks found by an earlier call may have changed again.
  isBehind_ = most <= 0 || hadBlocks;
  dataVersion_ = version;
  if (upgrade_) ended_ = true;
  return any;
}

// Once the writer has released its lock, all of its commits are visible in data_version.
bool TraceLoader::mayGrow() {
  if (isBehind_) return true;
  if (ended_) return false;
  if (hasWriter(database_->path())) return true;
  try {
    if (database_->integer("PRAGMA data_version") != dataVersion_) return true;
  } catch (const DatabaseError& problem) {
    if (problem.code() == SQLITE_BUSY) return true;
  }
  ended_ = true;
  mergeSideFiles();
  return false;
}

// SQLite lets only the last connection leave WAL mode. The last reader succeeds.
void TraceLoader::mergeSideFiles() {
  database_->setPatience(std::chrono::milliseconds(0));
  try {
    database_->execute("PRAGMA journal_mode=DELETE;");
  } catch (const DatabaseError&) {
    // Another reader is connected, or the folder cannot be changed.
  }
  database_->setPatience(Database::kPatience);
  removeAbandonedLock(database_->path());
}

bool TraceLoader::loadMeta() {
  const Statement::Rows rows(meta_);
  bool any = false;
  while (meta_.step()) {
    if (meta_.text(0) == kEndedKey) {
      any |= !std::exchange(ended_, true);
      closed_ = true;
      continue;
    }
    if (isOfFile(meta_.text(0))) continue;
    const auto known = journal_.meta().find(meta_.text(0));
    if (known != journal_.meta().end() && known->second == meta_.text(1)) continue;
    journal_.onMeta(meta_.text(0), meta_.text(1));
    any = true;
  }
  if (any && upgrade_) upgrade_->upgradeMeta();
  return any;
}

// Reloads all bookmarks: they are few, and any may have changed.
bool TraceLoader::loadBookmarks() {
  const Statement::Rows rows(bookmarks_);
  Bookmarks now;
  while (bookmarks_.step()) {
    now.emplace_hint(now.end(), bookmarkedAt(bookmarks_), bookmarks_.text(1));
  }
  if (now == journal_.bookmarks()) return false;
  journal_.setBookmarks(std::move(now));
  return true;
}

bool TraceLoader::loadStrings(std::int64_t& most) {
  constexpr std::int64_t kWork = 8;
  const Statement::Rows rows(strings_);
  strings_.bind(1, std::int64_t{journal_.strings()});
  bool any = false;
  for (; most > 0 && strings_.step(); any = true, most -= kWork) {
    const StringId next = journal_.strings() + 1;
    if (strings_.integer(0) != next) damaged(fmt::format("text {} is missing", next));
    journal_.onString(next, strings_.text(1));
  }
  return any;
}

bool TraceLoader::loadSpecs(std::int64_t& most) {
  constexpr std::int64_t kWork = 64;
  const Statement::Rows rows(specs_);
  specs_.bind(1, std::int64_t{journal_.specs()});
  bool any = false;
  for (; most > 0 && specs_.step(); any = true, most -= kWork) {
    const SpecId next = journal_.specs() + 1;
    if (specs_.integer(0) != next) damaged(fmt::format("spec {} is missing", next));
    journal_.onSpec(next, specAt(specs_, next));
  }
  return any;
}

bool TraceLoader::loadRoutes(std::int64_t& most) {
  if (!routes_) return false;
  constexpr std::int64_t kWork = 64;
  const Statement::Rows rows(*routes_);
  routes_->bind(1, std::int64_t{journal_.routes()});
  bool any = false;
  for (; most > 0 && routes_->step(); any = true, most -= kWork) {
    const RouteId next = journal_.routes() + 1;
    if (routes_->integer(0) != next) damaged(fmt::format("route {} is missing", next));
    journal_.onRoute(next, routeAt(*routes_, next));
  }
  return any;
}

bool TraceLoader::loadTensors(std::int64_t& most) {
  const Statement::Rows rows(tensors_);
  tensors_.bind(1, std::int64_t{journal_.tensors()});
  bool any = false;
  for (; most > 0 && tensors_.step(); any = true) {
    const std::int64_t first = tensors_.integer(0), count = tensors_.integer(1);
    if (first != std::int64_t{journal_.tensors()} + 1) {
      damaged(fmt::format("tensor {} is missing", journal_.tensors() + 1));
    }
    for (const PackedTensor& tensor : tensorsAt(tensors_)) {
      const TensorId id = journal_.tensors() + 1;
      if (tensor.name > journal_.strings() || tensor.spec < 1 || tensor.spec > journal_.specs()) {
        damaged(fmt::format("tensor {} refers to a missing entry", id));
      }
      journal_.onTensor(id, tensor.name, tensor.spec);
    }
    most -= count;
  }
  return any;
}

bool TraceLoader::loadBlocks(std::int64_t& most, const Progress& progress) {
  if (most <= 0) return false;
  if (blocks_.empty()) findBlocks();
  const auto all = static_cast<double>(found_);
  bool any = false;
  for (; most > 0 && !blocks_.empty(); any = true) {
    const std::int64_t first = blocks_.front();
    if (first < 1 || first % kBlockEvents != 1 || first > std::int64_t{journal_.size()} + 1) {
      damaged(fmt::format("the block of event {} does not follow the one before", first));
    }
    const Statement::Rows rows(block_);
    block_.bind(1, first).step();
    loadBlock(static_cast<EventId>(first));
    blocks_.pop_front();
    most -= static_cast<std::int64_t>(unpacked_.events.size());
    constexpr std::size_t kOften = 64;
    if (progress && blocks_.size() % kOften == 0) {
      progress(1 - static_cast<double>(blocks_.size()) / all);
    }
  }
  if (blocks_.empty()) revision_ = newest_;
  return any;
}

void TraceLoader::findBlocks() {
  const Statement::Rows rows(changed_);
  changed_.bind(1, revision_);
  newest_ = revision_;
  while (changed_.step()) {
    blocks_.push_back(changed_.integer(0));
    newest_ = std::max(newest_, changed_.integer(1));
  }
  found_ = blocks_.size();
}

void TraceLoader::loadBlock(EventId first) {
  EventBlock& block = unpacked_;
  unpackAt(block_, first, block);
  const std::size_t count = block.events.size();
  const auto packed = block_.blob(1);
  checkBlock(block);
  const bool isRunning =
      std::any_of(block.events.begin(), block.events.end(),
                  [](const Event& event) { return event.duration == Event::kRunning; });
  if (first > journal_.size() && count == kBlockEvents && !isRunning && !upgrade_) {
    return journal_.onBlock(block, {packed.begin(), packed.end()});
  }
  block.forEach([this](EventId id, const Event& event, std::span<const TensorId> inputs) {
    take(id, upgrade_ ? (*upgrade_)(event) : event, inputs);
  });
}

// A loaded event may only change by the end of its span, and in its exposed time until then.
void TraceLoader::take(EventId id, const Event& event, std::span<const TensorId> inputs) {
  if (id > journal_.size()) return journal_.onEvent(id, event, inputs);
  Event known = journal_.at(id);
  if (known == event) return;
  const bool isRunning = known.duration == Event::kRunning;
  known.duration = event.duration;
  known.exposed = event.exposed;
  if (!isRunning || known != event) damaged(fmt::format("event {} was another before", id));
  if (event.exposed != 0) journal_.onExposed(id, event.exposed);
  if (event.duration != Event::kRunning) journal_.onEnd(id, event.duration);
}

void TraceLoader::checkBlock(const EventBlock& block) {
  EventId id = block.first;
  isLookup_.resize(std::max(isLookup_.size(), id + block.events.size()));
  for (const Event& event : block.events) {
    isLookup_[id] = event.kind == EventKind::CacheLookup;
    checkEvent(id++, event);
  }
  const auto newest = journal_.tensors();
  for (const TensorId input : block.inputs) {
    if (input > newest)
      damaged(fmt::format("an event after {} names tensor {}, of {}", block.first, input, newest));
  }
}

// Returns true if all ids in the event's fields exist. The subject of a cache event must be an
// earlier CacheLookup.
bool TraceLoader::refersToKnownIds(EventId id, const Event& event) const {
  const auto tensors = journal_.tensors();
  if (isOfCache(event.kind)) {
    return event.subject == 0 || (event.subject < id && isLookup_[event.subject]);
  }
  const bool endsHold = event.kind == EventKind::MaskReleased;
  const bool hasSubject = isOfMask(event.kind) || event.subject <= tensors;
  const bool hasRelated = event.related < (endsHold ? id : tensors + 1);
  const bool isResult = event.kind == EventKind::Result;
  const bool isWhole = !isResult || (event.subject != 0 && static_cast<EventId>(event.count) < id);
  return hasSubject && hasRelated && isWhole;
}

void TraceLoader::checkEvent(EventId id, const Event& event) const {
  checkFields(id, event);
  const StringId texts =
      std::max({event.name, event.detail, event.ranks, event.site, event.device, event.group});
  const bool hasTexts = texts <= journal_.strings() && event.route <= journal_.routes();
  if (!hasTexts || !refersToKnownIds(id, event)) missingEntry(id);
}

}  // namespace shardlens
