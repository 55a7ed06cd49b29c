#include "core/query/sql/sql_tables.h"

#include "core/model/step_number.h"
#include "core/query/sql/table_rows.h"
#include "core/trace/events/event_names.h"
#include "core/trace/merge/merged_parts.h"
#include "core/trace/records/trace_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace shardlens {
namespace {

// A row of `events`.
class EventRow {
 public:
  explicit EventRow(const SqlSource& source) : journal(source.journal) {}
  std::int64_t size() const { return journal.size(); }
  void read(std::int64_t row) {
    id = static_cast<EventId>(row);
    event = journal.at(id);
  }
  // Skips blocks that have no event of the step or kind; see BlockSummary.
  std::int64_t skip(std::int64_t row, const std::vector<SqlBound>& bounds) const;
  static std::span<const RowColumn<EventRow>> columns();

  const Journal& journal;
  EventId id = 0;
  Event event;
};

enum class RouteEnd { From, To };
// Returns the placements at one end of the route, as in the table `tensors`; NULL without a route.
template <RouteEnd kEnd>
SqlCell routeEnd(const EventRow& row) {
  const Route& route = row.journal.route(row.event.route);
  if (route.empty()) return {};
  return placementsJson(kEnd == RouteEnd::From ? route.front() : route.back());
}

std::span<const RowColumn<EventRow>> EventRow::columns() {
  using enum SqlType;
  using Row = const EventRow&;
  static constexpr RowColumn<EventRow> kColumns[] = {
      {"id", RowNumber, [](Row row) -> SqlCell { return std::int64_t{row.id}; }},
      {"time", Integer, kNumber<&Event::time>},
      {"duration", Integer, [](Row row) { return durationOrNull(row.event.duration); }},
      {"bytes", Integer, kNumber<&Event::bytes>},
      {"parent", Integer, kNumber<&Event::parent>},
      {"name", Text, [](Row row) -> SqlCell { return row.journal.name(row.event); }},
      {"detail", Text, kText<&Event::detail>},
      {"ranks", Text, kText<&Event::ranks>},
      {"subject", Integer, kNumber<&Event::subject>},
      {"related", Integer, kNumber<&Event::related>},
      {"line", Integer, kNumber<&Event::line>},
      {"step", Integer, [](Row row) -> SqlCell { return stepNumber(row.event.step); }},
      {"count", Integer, kNumber<&Event::count>},
      {"kind", Text, [](Row row) -> SqlCell { return kindName(row.event.kind); }},
      {"verdict", Text, [](Row row) -> SqlCell { return verdictName(row.event.verdict); }},
      {"mesh_dim", Integer, kNumber<&Event::meshDim>},
      {"inputs", Text,
       [](Row row) -> SqlCell {
         return fmt::format("[{}]", fmt::join(row.journal.inputs(row.id), ","));
       }},
      {"site", Text, kText<&Event::site>},
      {"device", Text, kText<&Event::device>},
      {"process_group", Text,
       [](Row row) -> SqlCell { return row.journal.text(groupOf(row.journal, row.event)); }},
      {"sequence", Integer, kNumber<&Event::sequence>},
      {"exposed", Integer, [](Row row) { return knownOrNull(row.event.exposed); }},
      {"from_placements", HiddenText, routeEnd<RouteEnd::From>},
      {"to_placements", HiddenText, routeEnd<RouteEnd::To>},
  };
  return kColumns;
}

// Returns true if a bound on a step or a kind excludes all events of a block.
bool excludes(const SqlBound& bound, const BlockSummary& block) {
  using Relation = SqlBound::Relation;
  const std::string_view column = EventRow::columns()[bound.column].name;
  if (column == "step") {
    const auto least = stepNumber(block.leastStep), greatest = stepNumber(block.greatestStep);
    if (bound.relation == Relation::Is) {
      const auto step = std::get<std::int64_t>(bound.value);
      return step < least || step > greatest;
    }
    const bool isMore = bound.relation == Relation::More || bound.relation == Relation::AtLeast;
    return !bound.allows(isMore ? greatest : least);
  }
  if (column != "kind") return false;
  for (int kind = 0; kind < kEventKinds; ++kind) {
    const bool occurs = (block.kinds >> static_cast<unsigned>(kind) & 1U) != 0;
    if (occurs && bound.allows(kindName(static_cast<EventKind>(kind)))) return false;
  }
  return true;
}

std::int64_t EventRow::skip(std::int64_t row, const std::vector<SqlBound>& bounds) const {
  if (bounds.empty()) return row;
  for (; row <= size(); row = blockOf(static_cast<EventId>(row)) + std::int64_t{kBlockEvents}) {
    const BlockSummary* block = journal.summaryOf(blockOf(static_cast<EventId>(row)));
    const auto isExcluded = [&](const SqlBound& bound) { return excludes(bound, *block); };
    if (block == nullptr || std::ranges::none_of(bounds, isExcluded)) break;
  }
  return row;
}

// A row of `tensors`.
class TensorRow {
 public:
  explicit TensorRow(const SqlSource& source) : journal(source.journal) {}
  std::int64_t size() const { return journal.tensors(); }
  void read(std::int64_t row) { tensor.emplace(journal.tensor(static_cast<TensorId>(row))); }
  static std::span<const RowColumn<TensorRow>> columns();

  const Journal& journal;
  std::optional<TensorRecord> tensor;
};

std::span<const RowColumn<TensorRow>> TensorRow::columns() {
  using enum SqlType;
  using Row = const TensorRow&;
  static constexpr RowColumn<TensorRow> kColumns[] = {
      {"id", RowNumber, [](Row row) -> SqlCell { return std::int64_t{row.tensor->id}; }},
      {"name", Text, [](Row row) -> SqlCell { return row.tensor->name; }},
      {"dtype", Text, [](Row row) -> SqlCell { return dtypeName(row.tensor->dtype); }},
      {"shape", Text, [](Row row) -> SqlCell { return shapeJson(row.tensor->shape); }},
      {"placements", Text,
       [](Row row) -> SqlCell { return placementsJson(row.tensor->placements); }},
      {"mesh", Text,
       [](Row row) { return row.tensor->mesh ? SqlCell(meshJson(*row.tensor->mesh)) : SqlCell(); }},
  };
  return kColumns;
}

// A row of `shard_values`; all cells are NULL if the value cannot be read.
class ValueRow {
 public:
  explicit ValueRow(const SqlSource& source) : journal(source.journal) {}
  std::int64_t size() const { return static_cast<std::int64_t>(journal.values().size()); }
  void read(std::int64_t row) {
    number = row;
    value = journal.values().at(static_cast<std::size_t>(row - 1));
  }
  static std::span<const RowColumn<ValueRow>> columns();

  const Journal& journal;
  std::int64_t number = 0;
  std::optional<ValueRecord> value;
};

template <auto kMember>
SqlCell valueNumber(const ValueRow& row) {
  return row.value ? SqlCell(std::int64_t{(*row.value).*kMember}) : SqlCell();
}
template <auto kMember>
SqlCell statistic(const ValueRow& row) {
  if (!row.value) return {};
  const auto number = row.value->statistics.*kMember;
  if constexpr (std::is_floating_point_v<decltype(number)>) {
    return double{number};
  } else {
    return static_cast<std::int64_t>(number);
  }
}

std::span<const RowColumn<ValueRow>> ValueRow::columns() {
  using enum SqlType;
  using Row = const ValueRow&;
  static constexpr RowColumn<ValueRow> kColumns[] = {
      {"id", RowNumber, [](Row row) { return row.value ? SqlCell(row.number) : SqlCell(); }},
      {"event", Integer, valueNumber<&ValueRecord::event>},
      {"tensor", Integer, valueNumber<&ValueRecord::tensor>},
      {"rank", Integer, valueNumber<&ValueRecord::rank>},
      {"shape", Text,
       [](Row row) { return row.value ? SqlCell(shapeJson(row.value->shape)) : SqlCell(); }},
      {"min", Real, statistic<&Statistics::min>},
      {"max", Real, statistic<&Statistics::max>},
      {"mean", Real, statistic<&Statistics::mean>},
      {"nans", Integer, statistic<&Statistics::nans>},
      {"zeros", Integer, statistic<&Statistics::zeros>},
      {"hash", Integer,
       [](Row row) {
         const bool has = row.value && row.value->level == CaptureLevel::Hashes;
         return has ? SqlCell(static_cast<std::int64_t>(row.value->hash)) : SqlCell();
       }},
  };
  return kColumns;
}

// A row of a table that is a map: `bookmarks` and `meta`.
template <class Map>
class MapRow {
 public:
  std::int64_t size() const { return static_cast<std::int64_t>(map.size()); }
  // Linear in the distance from the row that was read last.
  void read(std::int64_t row) {
    std::advance(at, row - number);
    number = row;
  }

  const Map& map;
  typename Map::const_iterator at = map.begin();
  std::int64_t number = 1;  // of the row at `at`
};

struct BookmarkRow : MapRow<Bookmarks> {
  explicit BookmarkRow(const SqlSource& source) : MapRow{source.journal.bookmarks()} {}
  static std::span<const RowColumn<BookmarkRow>> columns() {
    using Row = const BookmarkRow&;
    static constexpr RowColumn<BookmarkRow> kColumns[] = {
        {"event", SqlType::Integer, [](Row row) -> SqlCell { return std::int64_t{row.at->first}; }},
        {"note", SqlType::Text,
         [](Row row) -> SqlCell { return std::string_view(row.at->second); }},
    };
    return kColumns;
  }
};

struct MetaRow : MapRow<std::map<std::string, std::string, std::less<>>> {
  explicit MetaRow(const SqlSource& source) : MapRow{source.journal.meta()} {}
  static std::span<const RowColumn<MetaRow>> columns() {
    using Row = const MetaRow&;
    static constexpr RowColumn<MetaRow> kColumns[] = {
        {"key", SqlType::Text, [](Row row) -> SqlCell { return std::string_view(row.at->first); }},
        {"value", SqlType::Text,
         [](Row row) -> SqlCell { return std::string_view(row.at->second); }},
    };
    return kColumns;
  }
};

}  // namespace

bool SqlBound::allows(const SqlCell& cell) const {
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    const auto* found = std::get_if<std::int64_t>(&cell);
    if (found == nullptr) return false;
    switch (relation) {
      case Relation::Is:
        return *found == *number;
      case Relation::More:
        return *found > *number;
      case Relation::AtLeast:
        return *found >= *number;
      case Relation::Less:
        return *found < *number;
      case Relation::AtMost:
        return *found <= *number;
    }
  }
  const std::string_view text = std::get<std::string>(value);
  if (const auto* view = std::get_if<std::string_view>(&cell)) return *view == text;
  const auto* owned = std::get_if<std::string>(&cell);
  return owned != nullptr && *owned == text;
}

std::int64_t SqlRows::skip(std::int64_t row, const std::vector<SqlBound>& /*bounds*/) const {
  return row;
}

SqlSource sqlSourceOf(TraceReader& reader) {
  return {reader.journal(), reader.lostRanks(),
          reader.mayGrow() || reader.hasLater() ? RunState::Running : RunState::Ended};
}

const std::vector<SqlTable>& sqlTables() {
  static const std::vector<SqlTable> tables = {
      tableOf<EventRow>("events"),
      collectivesTable(),
      arrivalsTable(),
      tableOf<TensorRow>("tensors"),
      tableOf<ValueRow>("shard_values"),
      foundProblemsTable(),
      rolesTable(),
      divergencesTable(),
      placementsTable(),
      ledgerRowsTable(),
      tableOf<BookmarkRow>("bookmarks"),
      tableOf<MetaRow>("meta"),
  };
  return tables;
}

}  // namespace shardlens
