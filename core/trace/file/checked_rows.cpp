#include "core/trace/file/checked_rows.h"

#include "core/trace/events/event_names.h"
#include "core/trace/events/packed_events.h"
#include "core/trace/file/trace_open.h"
#include "core/trace/file/trace_schema.h"
#include "core/trace/records/trace_rows.h"

#include <fmt/core.h>
#include <sqlite3.h>

#include <cstring>
#include <limits>
#include <utility>

namespace shardlens {
namespace {

// Returns the number of values that Event::subkind can have.
int subkindsOf(EventKind kind) {
  if (isOfCache(kind)) return kCacheTables;
  return kind == EventKind::Collective ? kCollectiveKinds : 1;
}

}  // namespace

void damaged(const std::string& text) { throw DatabaseError(SQLITE_CORRUPT, text); }

void missingEntry(EventId id) { damaged(fmt::format("event {} refers to a missing entry", id)); }

Spec specAt(const Statement& row, SpecId id) {
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
  return {*dtype, std::move(*shape), std::move(*placements),
          mesh ? shared(std::move(*mesh)) : nullptr};
}

Route routeAt(const Statement& row, RouteId id) {
  auto route = parseRouteJson(row.text(1));
  if (!route) damaged(fmt::format("route {} has the placements {}", id, excerpt(row.text(1))));
  return std::move(*route);
}

std::vector<PackedTensor> tensorsAt(const Statement& row) {
  const std::int64_t count = row.integer(1);
  const auto records = row.blob(2);
  if (count < 1 || records.size() / sizeof(PackedTensor) != static_cast<std::size_t>(count) ||
      records.size() % sizeof(PackedTensor) != 0) {
    damaged(fmt::format("the block of tensor {} has {} bytes for {} tensors", row.integer(0),
                        records.size(), count));
  }
  std::vector<PackedTensor> tensors(static_cast<std::size_t>(count));
  std::memcpy(tensors.data(), records.data(), records.size());
  return tensors;
}

void unpackAt(const Statement& row, EventId first, EventBlock& into) {
  const std::int64_t count = row.integer(0);
  if (count < 1 || count > kBlockEvents) {
    damaged(fmt::format("the block of event {} has {} events", first, count));
  }
  into.events.resize(static_cast<std::size_t>(count));
  if (!unpackEvents(row.blob(1), first, into)) {
    damaged(fmt::format("the block of event {} is not that of {} events", first, count));
  }
}

EventId bookmarkedAt(const Statement& row) {
  const std::int64_t event = row.integer(0);
  if (event < 1 || event > std::numeric_limits<EventId>::max()) {
    damaged(fmt::format("a bookmark is of event {}", event));
  }
  return static_cast<EventId>(event);
}

void checkFields(EventId id, const Event& event) {
  const bool isKnown =
      static_cast<int>(event.kind) < kEventKinds && static_cast<int>(event.verdict) < kVerdicts;
  if (!isKnown || event.subkind >= subkindsOf(event.kind) || event.parent >= id) missingEntry(id);
  const auto bound = [&](const char* what, std::int64_t number, std::int64_t least) {
    if (number >= least) return;
    damaged(fmt::format("event {} has the {} {}, expected {} or more", id, what, number, least));
  };
  const auto boundTime = [&](const char* what, std::int64_t number) {
    if (number >= -kFarthestTime && number <= kFarthestTime) return;
    damaged(fmt::format("event {} has the {} {}, expected at most {}", id, what, number,
                        kFarthestTime));
  };
  bound("step", event.step, -1);
  bound("line", event.line, 0);
  bound("mesh dimension", event.meshDim, -1);
  bound("bytes", event.bytes, 0);
  bound("duration", event.duration, Event::kRunning);
  bound("exposed time", event.exposed, 0);
  boundTime("time", event.time);
  boundTime("duration", event.duration);
  boundTime("exposed time", event.exposed);
}

}  // namespace shardlens
