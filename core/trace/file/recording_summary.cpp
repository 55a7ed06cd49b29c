#include "core/trace/file/recording_summary.h"

#include "core/trace/events/event_names.h"
#include "core/trace/file/trace_loader.h"
#include "core/trace/file/trace_open.h"
#include "core/trace/file/trace_schema.h"
#include "core/trace/journal/tensor_ranks.h"

#include <fmt/core.h>
#include <sqlite3.h>

#include <limits>
#include <unordered_map>
#include <utility>

namespace shardlens {
namespace {

constexpr const char* kScenarioHashKey = "scenario_hash";

// Texts that belong to the program and may be large.
bool isText(std::string_view key) { return key == "scenario" || key.starts_with("source:"); }

bool hasSegments(Database& database) {
  return database.integer(
             "SELECT count(*) FROM sqlite_master WHERE name IN ('segments', 'segment_totals')") ==
         2;
}

[[noreturn]] void refuseSegment(std::int64_t first, const char* what, std::int64_t got) {
  throw DatabaseError(SQLITE_CORRUPT,
                      fmt::format("the segment of event {} has the {} {}", first, what, got));
}

// Reads integers from a row and refuses those that do not fit.
class Fields {
 public:
  Fields(const Statement& row, std::int64_t segment, int column)
      : row_(row), segment_(segment), column_(column) {}

  template <class T>
  T next(const char* what, std::int64_t least,
         std::int64_t greatest = std::numeric_limits<T>::max()) {
    const std::int64_t value = row_.integer(column_++);
    if (value < least || value > greatest) refuseSegment(segment_, what, value);
    return static_cast<T>(value);
  }

 private:
  const Statement& row_;
  std::int64_t segment_;
  int column_;
};

std::pair<TotalsKey, Totals> totalsAt(const Statement& row, std::int64_t segment,
                                      std::int64_t strings) {
  Fields fields(row, segment, 1);
  TotalsKey key;
  key.kind = static_cast<EventKind>(fields.next<std::uint8_t>("kind", 0, kEventKinds - 1));
  key.verdict = static_cast<Verdict>(fields.next<std::uint8_t>("verdict", 0, kVerdicts - 1));
  key.subkind = fields.next<std::uint8_t>("subkind", 0, kCollectiveKinds - 1);
  key.meshDim = fields.next<std::int8_t>("mesh dimension", -1);
  for (StringId* id : {&key.name, &key.ranks, &key.group, &key.detail}) {
    *id = fields.next<StringId>("text", 0, strings);
  }
  Totals totals;
  totals.count = fields.next<std::int64_t>("count", 1, kSegmentEvents);
  totals.bytes = fields.next<std::int64_t>("bytes", 0);
  totals.nanoseconds = fields.next<std::int64_t>("time", 0);
  totals.exposed = fields.next<std::int64_t>("exposed time", 0);
  totals.leastSequence = fields.next<std::uint32_t>("least sequence", 0);
  totals.greatestSequence = fields.next<std::uint32_t>("greatest sequence", totals.leastSequence);
  return {key, totals};
}

// The journal has the metadata and the texts of the totals.
RecordingSummary summaryOf(const Journal& journal, const std::vector<Segment>& segments) {
  RecordingSummary summary;
  EventTotals all;
  for (const auto& segment : segments) {
    all.add(segment.totals);
    summary.program = combinedProgram(summary.program, segment.program);
  }
  for (const auto& [key, value] : journal.meta()) {
    if (!isText(key)) summary.meta.emplace(key, value);
  }
  if (auto hash = scenarioHash(journal.meta()); !hash.empty()) {
    summary.meta.insert_or_assign(kScenarioHashKey, std::move(hash));
  }
  summary.events = all.count();
  summary.segments = static_cast<std::int64_t>(segments.size());
  summary.running = all.running();
  summary.implicit = all.implicit();
  summary.leastStep = all.leastStep();
  summary.greatestStep = all.greatestStep();
  summary.begin = all.begin();
  summary.end = all.end();
  for (const auto& [key, totals] : all.all()) {
    GroupTotals& group = summary.totals.emplace_back();
    group.kind = key.kind;
    group.verdict = key.verdict;
    group.totals = totals;
    if (key.kind != EventKind::Collective) continue;
    const Event event = eventOf(key);
    group.name = journal.name(event);
    group.axis = axisOf(journal, event);
    group.ranks = journal.text(key.ranks);
    group.group = journal.text(key.group);
  }
  return summary;
}

EventTotals::Bounds boundsOf(const EventTotals& totals) {
  return {.leastStep = totals.leastStep(),
          .greatestStep = totals.greatestStep(),
          .begin = totals.begin(),
          .end = totals.end(),
          .implicit = totals.implicit(),
          .running = totals.running()};
}

// Replaces the texts' ids in the file by those in `journal`, to which it adds the texts.
void copyTexts(Database& database, std::vector<Segment>& segments, Journal& journal) {
  Statement texts(database, "SELECT text FROM strings WHERE id = ?");
  std::unordered_map<StringId, StringId> known{{0, 0}};
  for (auto& segment : segments) {
    auto all = segment.totals.all();
    for (auto& each : all) {
      for (StringId* id :
           {&each.first.name, &each.first.ranks, &each.first.group, &each.first.detail}) {
        const auto [place, isNew] = known.try_emplace(*id, journal.strings() + 1);
        if (isNew) {
          const Statement::Rows rows(texts);
          texts.bind(1, std::int64_t{*id}).step();
          journal.onString(place->second, texts.text(0));
        }
        *id = place->second;
      }
    }
    segment.totals = EventTotals(std::move(all), boundsOf(segment.totals));
  }
}

std::vector<Segment> segmentsOf(const Journal& journal) {
  OpenSegments segments;
  for (StringId id = 1; id <= journal.strings(); ++id) segments.addText(id, journal.text(id));
  for (RouteId id = 1; id <= journal.routes(); ++id) segments.addRoute(id, journal.route(id));
  for (EventId id = 1; id <= journal.size(); ++id) segments.append(id, journal.at(id));
  return segments.takeRest();
}

RecordingSummary summaryByEvents(std::unique_ptr<Database> database) {
  TraceLoader loader(std::move(database));
  loader.loadAll();
  RecordingSummary summary = summaryOf(loader.journal(), segmentsOf(loader.journal()));
  summary.isClosed = loader.isClosed();
  return summary;
}

}  // namespace

std::int64_t RecordingSummary::count(EventKind kind) const {
  std::int64_t sum = 0;
  for (const auto& group : totals) sum += group.kind == kind ? group.totals.count : 0;
  return sum;
}

std::vector<Segment> readSegments(Database& database) {
  std::vector<Segment> segments;
  if (!hasSegments(database)) return segments;
  const std::int64_t strings = database.integer("SELECT max(id) FROM strings");
  Statement bySegment(database,
                      "SELECT first, count, least_step, greatest_step, start_time, end_time,"
                      " running, implicit, program FROM segments ORDER BY first");
  Statement totals(database,
                   "SELECT segment, kind, verdict, subkind, mesh_dim, name, ranks, process_group,"
                   " detail, count, bytes, time, exposed, least_sequence, greatest_sequence"
                   " FROM segment_totals ORDER BY segment, rowid");
  bool hasTotals = totals.step();
  while (bySegment.step()) {
    const std::int64_t first = bySegment.integer(0);
    const std::int64_t expected = segments.empty() ? 1 : std::int64_t{segments.back().last()} + 1;
    if (first != expected) refuseSegment(expected, "first event", first);
    std::vector<std::pair<TotalsKey, Totals>> all;
    for (; hasTotals && totals.integer(0) == first; hasTotals = totals.step()) {
      all.push_back(totalsAt(totals, first, strings));
    }
    Fields fields(bySegment, first, 1);
    const auto count = fields.next<std::int64_t>("count", 1, kSegmentEvents);
    EventTotals::Bounds bounds;
    bounds.leastStep = fields.next<std::int32_t>("least step", -1);
    bounds.greatestStep = fields.next<std::int32_t>("greatest step", bounds.leastStep);
    constexpr auto kLeastTime = std::numeric_limits<std::int64_t>::min();
    bounds.begin = fields.next<std::int64_t>("start time", kLeastTime);
    bounds.end = fields.next<std::int64_t>("end time", kLeastTime);
    bounds.running = fields.next<std::int64_t>("running spans", 0, count);
    bounds.implicit = fields.next<std::int64_t>("implicit redistributions", 0, count);
    EventTotals sums(std::move(all), bounds);
    if (sums.count() != count) refuseSegment(first, "sum of counts", sums.count());
    segments.push_back({static_cast<EventId>(first), std::move(sums),
                        static_cast<std::uint64_t>(bySegment.integer(8))});
  }
  if (hasTotals) {
    throw DatabaseError(
        SQLITE_CORRUPT,
        fmt::format("there are totals of segment {}, which does not exist", totals.integer(0)));
  }
  return segments;
}

std::string scenarioHash(const Metadata& meta) {
  if (const auto text = meta.find("scenario"); text != meta.end() && !text->second.empty()) {
    return fmt::format("{:016x}", hashOfText(text->second));
  }
  const auto hash = meta.find(kScenarioHashKey);
  return hash == meta.end() ? std::string() : hash->second;
}

Result<RecordingSummary> summarize(const std::filesystem::path& path, Unsealed unsealed) {
  auto database = openRecording(path);
  if (!database) return tl::unexpected(database.error());
  try {
    Transaction transaction(**database);
    auto segments = readSegments(**database);
    const std::int64_t events =
        (*database)->integer("SELECT first + count - 1 FROM blocks ORDER BY first DESC LIMIT 1");
    const std::int64_t summarized = segments.empty() ? 0 : segments.back().last();
    const bool isClosed = (*database)->integer(fmt::format(
                              "SELECT count(*) FROM meta WHERE key='{}'", kEndedKey)) != 0;
    const bool isWhole = isClosed && summarized == events;
    if (unsealed == Unsealed::Read && !isWhole) {
      transaction.commit();
      return summaryByEvents(std::move(*database));
    }
    Journal journal;
    Statement meta(**database, "SELECT key, value FROM meta");
    while (meta.step()) {
      if (!isOfFile(meta.text(0))) journal.onMeta(meta.text(0), meta.text(1));
    }
    copyTexts(**database, segments, journal);
    RecordingSummary summary = summaryOf(journal, segments);
    summary.isClosed = isWhole;
    return summary;
  } catch (const DatabaseError& problem) {
    return tl::unexpected(explain(path, problem));
  }
}

}  // namespace shardlens
