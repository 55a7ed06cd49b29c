#include "core/trace/file/trace_loader.h"

#include "core/model/spec.h"
#include "core/trace/file/trace_open.h"
#include "core/trace/file/trace_schema.h"
#include "core/trace/file/upgrade.h"
#include "core/trace/journal/event_names.h"
#include "core/trace/journal/packed_events.h"
#include "core/trace/records/trace_rows.h"

#include <fmt/core.h>
#include <sqlite3.h>

#include <cstring>
#include <limits>
#include <utility>

namespace shardlens {

namespace {

[[noreturn]] void damaged(const std::string& text) { throw DatabaseError(SQLITE_CORRUPT, text); }

SpecRecord specAt(const Statement& row, SpecId id) {
  const auto refuse = [&](const char* what, std::string_view text) {
    damaged(fmt::format("spec {} has the {} {}", id, what, excerpt(text)));
  };
  const auto dtype = parseDType(row.text(1));
  if (!dtype) refuse("dtype", row.text(1));
  auto shape = parseShapeJson(row.text(2));
  if (!shape) refuse("shape", row.text(2));
  auto placements = parsePlacementsJson(row.text(3));
  if (!placements || !fit(*placements, *shape)) refuse("placements", row.text(3));
  auto mesh = row.isNull(4) ? std::nullopt : parseMeshJson(row.text(4));
  if (!mesh && !row.isNull(4)) refuse("mesh", row.text(4));
  return {*dtype, std::move(*shape), std::move(*placements), std::move(mesh)};
}

// In format 1 each tensor has a spec of its own, and before 1.1 all lay on the recording's mesh.
std::string specsSql(Database& database, std::int64_t format) {
  if (format != 1) {
    return "SELECT id, dtype, shape, placements, mesh FROM specs WHERE id > ? ORDER BY id";
  }
  const bool older =
      database.integer("SELECT count(*) FROM pragma_table_info('tensors') WHERE name='mesh'") == 0;
  return std::string("SELECT id, dtype, shape, placements, ") + (older ? "NULL" : "mesh") +
         ", name FROM tensors WHERE id > ? ORDER BY id";
}

}  // namespace

TraceLoader::TraceLoader(std::unique_ptr<Database> database)
    : database_(std::move(database)),
      format_(database_->integer("PRAGMA user_version")),
      meta_(*database_, "SELECT key, value FROM meta"),
      strings_(*database_, "SELECT id, text FROM strings WHERE id > ? ORDER BY id"),
      specs_(*database_, specsSql(*database_, format_)),
      blocks_(*database_,
              "SELECT first, count, records, revision FROM blocks WHERE revision > ?"
              " ORDER BY first"),
      values_(*database_,
              "SELECT id, event, tensor, rank, shape, min, max, mean, nans, zeros, data"
              " FROM shard_values WHERE id > ? ORDER BY id") {
  if (format_ == 1) return;
  tensors_.emplace(*database_,
                   "SELECT first, count, records FROM tensor_blocks WHERE first > ?"
                   " ORDER BY first");
}

bool TraceLoader::load(const Progress& progress) {
  const std::int64_t version = database_->integer("PRAGMA data_version");
  if (version == dataVersion_ || isUpgraded_) return false;
  Transaction transaction(*database_);
  bool any = loadMeta();
  any |= loadStrings();
  any |= loadSpecs();
  any |= loadTensors();
  any |= loadBlocks(progress);
  any |= loadValues();
  transaction.commit();
  dataVersion_ = version;
  if (any && database_->integer("PRAGMA user_version") == 1) upgrade();
  return any;
}

// Nobody writes format 1 any more: what is there is all.
void TraceLoader::upgrade() {
  journal_ = upgradedFromFormat1(journal_);
  isUpgraded_ = true;
  ended_ = true;
}

// A writer stays connected, and SQLite lets only the last connection leave the WAL mode. Before the
// first event a writer may still be starting.
bool TraceLoader::mayGrow() {
  if (ended_) return false;
  if (journal_.size() == 0) return true;
  try {
    // What was committed after the last load is to be read yet, and before: a connection that
    // leaves the WAL mode goes on with the pages that it has.
    if (database_->integer("PRAGMA data_version") != dataVersion_) return true;
    database_->setPatience(std::chrono::milliseconds(0));
    database_->execute("PRAGMA journal_mode=DELETE;");
    ended_ = database_->integer("PRAGMA data_version") == dataVersion_;
  } catch (const DatabaseError& problem) {
    ended_ = problem.code() != SQLITE_BUSY && problem.code() != SQLITE_LOCKED;
  }
  database_->setPatience(Database::kPatience);
  return !ended_;
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
    const auto known = journal_.meta().find(meta_.text(0));
    if (known != journal_.meta().end() && known->second == meta_.text(1)) continue;
    journal_.onMeta(meta_.text(0), meta_.text(1));
    any = true;
  }
  return any;
}

bool TraceLoader::loadStrings() {
  const Statement::Rows rows(strings_);
  strings_.bind(1, std::int64_t{journal_.strings()});
  bool any = false;
  for (; strings_.step(); any = true) {
    const StringId next = journal_.strings() + 1;
    if (strings_.integer(0) != next) damaged(fmt::format("text {} is missing", next));
    journal_.onString(next, strings_.text(1));
  }
  return any;
}

bool TraceLoader::loadSpecs() {
  const Statement::Rows rows(specs_);
  specs_.bind(1, std::int64_t{journal_.specs()});
  bool any = false;
  for (; specs_.step(); any = true) {
    const SpecId next = journal_.specs() + 1;
    if (specs_.integer(0) != next) damaged(fmt::format("spec {} is missing", next));
    journal_.onSpec(next, specAt(specs_, next));
    if (format_ == 1) addTensorFormat1(next);
  }
  return any;
}

// Its name is a text of its own.
void TraceLoader::addTensorFormat1(SpecId spec) {
  const std::string_view name = specs_.text(5);
  const StringId text = name.empty() ? 0 : journal_.strings() + 1;
  if (text != 0) journal_.onString(text, name);
  journal_.onTensor(journal_.tensors() + 1, text, spec);
}

bool TraceLoader::loadTensors() {
  if (!tensors_) return false;
  const Statement::Rows rows(*tensors_);
  tensors_->bind(1, std::int64_t{journal_.tensors()});
  bool any = false;
  for (; tensors_->step(); any = true) {
    const std::int64_t first = tensors_->integer(0), count = tensors_->integer(1);
    const auto records = tensors_->blob(2);
    if (first != std::int64_t{journal_.tensors()} + 1) {
      damaged(fmt::format("tensor {} is missing", journal_.tensors() + 1));
    }
    if (count < 1 || records.size() / sizeof(PackedTensor) != static_cast<std::size_t>(count) ||
        records.size() % sizeof(PackedTensor) != 0) {
      damaged(fmt::format("the block of tensor {} has {} bytes for {} tensors", first,
                          records.size(), count));
    }
    for (std::size_t at = 0; at < records.size(); at += sizeof(PackedTensor)) {
      PackedTensor tensor;
      std::memcpy(&tensor, records.data() + at, sizeof(tensor));
      const TensorId id = journal_.tensors() + 1;
      if (tensor.name > journal_.strings() || tensor.spec < 1 || tensor.spec > journal_.specs()) {
        damaged(fmt::format("tensor {} names what is not there", id));
      }
      journal_.onTensor(id, tensor.name, tensor.spec);
    }
  }
  return any;
}

bool TraceLoader::loadBlocks(const Progress& progress) {
  constexpr std::int64_t kOften = 64;  // blocks
  const std::int64_t last =
      progress ? database_->integer("SELECT coalesce(max(first), 1) FROM blocks") : 1;
  const Statement::Rows rows(blocks_);
  blocks_.bind(1, revision_);
  std::int64_t newest = revision_;
  while (blocks_.step()) {
    const std::int64_t first = blocks_.integer(0), count = blocks_.integer(1);
    const std::int64_t most = format_ == 1 ? kFormat1BlockEvents : kBlockEvents;
    if (first < 1 || first % most != 1 || first > std::int64_t{journal_.size()} + 1) {
      damaged(fmt::format("the block of event {} does not follow the one before", first));
    }
    if (count < 1 || count > most) {
      damaged(fmt::format("the block of event {} has {} events", first, count));
    }
    loadBlock(static_cast<EventId>(first), static_cast<std::size_t>(count), blocks_.blob(2));
    newest = std::max(newest, blocks_.integer(3));
    if (progress && first / most % kOften == 0) {
      progress(static_cast<double>(first) / static_cast<double>(last));
    }
  }
  const bool any = newest != revision_;
  revision_ = newest;
  return any;
}

void TraceLoader::loadBlock(EventId first, std::size_t count, std::span<const std::byte> packed) {
  EventBlock& block = unpacked_;
  block.events.resize(count);
  const auto unpack = format_ == 1 ? unpackFormat1 : unpackEvents;
  if (!unpack(packed, first, block)) {
    damaged(fmt::format("the block of event {} is not that of {} events", first, count));
  }
  checkBlock(block);
  const bool isRunning =
      std::any_of(block.events.begin(), block.events.end(),
                  [](const Event& event) { return event.duration == Event::kRunning; });
  if (first > journal_.size() && count == kBlockEvents && !isRunning) {
    return journal_.onBlock(block, {packed.begin(), packed.end()});
  }
  block.forEach([this](EventId id, const Event& event, std::span<const TensorId> inputs) {
    take(id, event, inputs);
  });
}

// Only a span that runs changes once it has come.
void TraceLoader::take(EventId id, const Event& event, std::span<const TensorId> inputs) {
  if (id > journal_.size()) return journal_.onEvent(id, event, inputs);
  Event known = journal_.at(id);
  if (known == event) return;
  const bool ends = known.duration == Event::kRunning;
  known.duration = event.duration;
  if (!ends || known != event) damaged(fmt::format("event {} was another before", id));
  journal_.onEnd(id, event.duration);
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

// An entry of a cache is known by the miss that made it.
bool TraceLoader::namesWhatIsThere(EventId id, const Event& event) const {
  const auto tensors = journal_.tensors();
  if (isOfCache(event.kind)) {
    return event.subject == 0 || (event.subject < id && isLookup_[event.subject]);
  }
  const bool endsHold = event.kind == EventKind::MaskReleased && format_ != 1;
  const bool hasSubject = isOfMask(event.kind) || event.subject <= tensors;
  const bool hasRelated = event.related < (endsHold ? id : tensors + 1);
  const bool isResult = event.kind == EventKind::Result;
  const bool isWhole = !isResult || (event.subject != 0 && static_cast<EventId>(event.count) < id);
  return hasSubject && hasRelated && isWhole;
}

void TraceLoader::checkEvent(EventId id, const Event& event) const {
  const auto strings = journal_.strings();
  const bool isKnown =
      static_cast<int>(event.kind) < kEventKinds && static_cast<int>(event.verdict) < kVerdicts;
  const StringId texts =
      std::max({event.name, event.detail, event.ranks, event.site, event.device, event.group});
  const bool hasTexts = texts <= strings;
  if (!isKnown || !hasTexts || event.parent >= id || !namesWhatIsThere(id, event)) {
    damaged(fmt::format("event {} names what is not there", id));
  }
  const auto bound = [&](const char* what, std::int64_t number, std::int64_t least) {
    if (number >= least) return;
    damaged(fmt::format("event {} has the {} {}, expected {} or more", id, what, number, least));
  };
  bound("step", event.step, -1);
  bound("line", event.line, 0);
  bound("mesh dimension", event.meshDim, -1);
  bound("bytes", event.bytes, 0);
  bound("duration", event.duration, Event::kRunning);
}

bool TraceLoader::loadValues() {
  const Statement::Rows rows(values_);
  values_.bind(1, lastValue_);
  bool any = false;
  for (; values_.step(); any = true) {
    journal_.onValue(readValue());
    lastValue_ = values_.integer(0);
  }
  return any;
}

ValueRecord TraceLoader::readValue() const {
  const auto refuse = [this](const std::string& what) {
    damaged(fmt::format("value {} {}", values_.integer(0), what));
  };
  const std::int64_t event = values_.integer(1);
  const std::int64_t tensor = values_.integer(2);
  const std::int64_t rank = values_.integer(3);
  const auto tensors = std::int64_t{journal_.tensors()};
  if (event < 0 || event > journal_.size() || tensor < 1 || tensor > tensors || rank < 0 ||
      rank > std::numeric_limits<int>::max()) {
    refuse("names what is not there");
  }
  const TensorRecord record = journal_.tensor(static_cast<TensorId>(tensor));
  auto shape = parseShapeJson(values_.text(4));
  const bool isPlaced = !record.placements.empty();
  if (!shape || (isPlaced && shape->size() != record.shape.size())) {
    refuse("has the shape " + excerpt(values_.text(4)) + ", of a tensor of shape " +
           toText(record.shape));
  }
  ValueRecord value;
  value.event = static_cast<EventId>(event);
  value.tensor = static_cast<TensorId>(tensor);
  value.rank = static_cast<int>(rank);
  value.shape = std::move(*shape);
  value.statistics = {values_.real(5), values_.real(6), values_.real(7), values_.integer(8),
                      values_.integer(9)};
  value.level = values_.isNull(10) ? CaptureLevel::Statistics : CaptureLevel::All;
  if (value.level == CaptureLevel::Statistics) return value;
  const auto data = values_.blob(10);
  const std::int64_t expected = elementCount(value.shape) * dtypeSize(record.dtype);
  if (static_cast<std::int64_t>(data.size()) != expected) {
    refuse(fmt::format("has {} bytes, expected {}", data.size(), expected));
  }
  value.data = std::make_shared<const std::vector<std::byte>>(data.begin(), data.end());
  return value;
}

}  // namespace shardlens
