// The tables that describe a whole run: its collectives, the arrival of each rank at each of them,
// and its problems.
#include "core/model/ranks_text.h"
#include "core/model/step_number.h"
#include "core/query/problems/problems.h"
#include "core/query/problems/problems_table.h"
#include "core/query/sql/table_rows.h"
#include "core/trace/events/event_names.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/records/site_record.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace shardlens {
namespace {

// Finds the collectives of a journal and the hosted ranks of each.
class Collectives {
 public:
  explicit Collectives(const Journal& journal) : journal_(journal), hosted_(hostedRanges(journal)) {
    for (EventId id = 1; id <= journal.size(); ++id) {
      if (const BlockSummary* block = journal.summaryOf(id);
          block != nullptr && (block->kinds >> int(EventKind::Collective) & 1) == 0) {
        id += kBlockEvents - 1;
        continue;
      }
      if (journal.at(id).kind == EventKind::Collective) events_.push_back(id);
    }
  }

  const std::vector<EventId>& events() const { return events_; }

  // Returns the hosted members of the collective's groups, in the order of the groups.
  const std::vector<int>& hostedMembers(const Event& event) {
    const auto [known, isNew] = members_.try_emplace(event.ranks);
    if (isNew) {
      for (const auto& group : parseRanks(journal_.text(event.ranks))) {
        for (const int rank : group) {
          if (contains(hosted_, rank)) known->second.push_back(rank);
        }
      }
    }
    return known->second;
  }

 private:
  const Journal& journal_;
  std::vector<RankRange> hosted_;
  std::vector<EventId> events_;
  std::map<StringId, std::vector<int>> members_;
};

// A row of `collectives`.
class CollectiveRow {
 public:
  explicit CollectiveRow(const SqlSource& source) : journal(source.journal), all_(source.journal) {}
  std::int64_t size() const { return static_cast<std::int64_t>(all_.events().size()); }
  void read(std::int64_t row) {
    id = all_.events()[static_cast<std::size_t>(row - 1)];
    event = journal.at(id);
    site = readSite(journal.text(event.site));
    const auto groups = parseRanks(journal.text(event.ranks));
    members = groups.empty() ? 0 : static_cast<std::int64_t>(groups.front().size());
    const auto& hosted = all_.hostedMembers(event);
    arrived = std::ranges::count_if(
        hosted, [this](int rank) { return journal.part(id, rank).has_value(); });
    expected = static_cast<std::int64_t>(hosted.size());
  }
  static std::span<const RowColumn<CollectiveRow>> columns();

  const Journal& journal;
  EventId id = 0;
  Event event;
  SiteRecord site;
  std::int64_t members = 0, arrived = 0, expected = 0;

 private:
  Collectives all_;
};

template <auto kMember>
SqlCell number(const CollectiveRow& row) {
  return std::int64_t{row.event.*kMember};
}
template <auto kMember>
SqlCell siteOf(const CollectiveRow& row) {
  return std::string_view(row.site.*kMember);
}

std::span<const RowColumn<CollectiveRow>> CollectiveRow::columns() {
  using enum SqlType;
  using Row = const CollectiveRow&;
  static constexpr RowColumn<CollectiveRow> kColumns[] = {
      {"event", Integer, [](Row row) -> SqlCell { return std::int64_t{row.id}; }},
      {"step", Integer, [](Row row) -> SqlCell { return stepNumber(row.event.step); }},
      {"name", Text, [](Row row) -> SqlCell { return row.journal.name(row.event); }},
      {"axis", Text, [](Row row) -> SqlCell { return axisOf(row.journal, row.event); }},
      {"ranks", Text, [](Row row) -> SqlCell { return row.journal.text(row.event.ranks); }},
      {"members", Integer, [](Row row) -> SqlCell { return row.members; }},
      {"process_group", Text, [](Row row) -> SqlCell { return row.journal.text(row.event.group); }},
      {"sequence", Integer, number<&Event::sequence>},
      {"bytes", Integer, number<&Event::bytes>},
      {"time", Integer, number<&Event::time>},
      {"duration", Integer,
       [](Row row) {
         return row.event.duration == Event::kRunning ? SqlCell() : SqlCell(row.event.duration);
       }},
      {"exposed", Integer, [](Row row) { return knownOrNull(row.event.exposed); }},
      {"arrived", Integer, [](Row row) -> SqlCell { return row.arrived; }},
      {"expected", Integer, [](Row row) -> SqlCell { return row.expected; }},
      {"file", Text, siteOf<&SiteRecord::file>},
      {"line", Integer,
       [](Row row) -> SqlCell {
         return std::int64_t{row.site.line > 0 ? row.site.line : row.event.line};
       }},
      {"module", Text, siteOf<&SiteRecord::module>},
      {"pass", Text, siteOf<&SiteRecord::pass>},
  };
  return kColumns;
}

// A row of `arrivals`: a rank's part of a collective.
class ArrivalRow {
 public:
  explicit ArrivalRow(const SqlSource& source) : journal(source.journal), all_(source.journal) {
    std::int64_t rows = 0;
    for (const EventId event : all_.events()) {
      for (const int rank : all_.hostedMembers(journal.at(event))) {
        rows += static_cast<std::int64_t>(journal.part(event, rank).has_value());
      }
      ends_.push_back(rows);
    }
  }
  std::int64_t size() const { return ends_.empty() ? 0 : ends_.back(); }
  void read(std::int64_t row) {
    const auto end = std::ranges::lower_bound(ends_, row);
    const auto index = static_cast<std::size_t>(end - ends_.begin());
    if (id != all_.events()[index]) readParts(all_.events()[index]);
    const std::int64_t first = index == 0 ? 0 : ends_[index - 1];
    std::tie(rank, part) = parts_[static_cast<std::size_t>(row - first - 1)];
  }
  // The bytes of one rank are known if its process hosts no other rank.
  bool knowsBytes() const { return parts_.size() == 1 || part.bytes > 0 || event.bytes == 0; }
  static std::span<const RowColumn<ArrivalRow>> columns();

  const Journal& journal;
  EventId id = 0;
  Event event;
  int rank = 0;
  EventPart part;

 private:
  void readParts(EventId collective) {
    id = collective;
    event = journal.at(id);
    parts_.clear();
    for (const int member : all_.hostedMembers(event)) {
      if (const auto found = journal.part(id, member)) parts_.emplace_back(member, *found);
    }
    // Without a merge, each part has the bytes of all hosted ranks.
    if (parts_.size() > 1 && !journal.isMerged()) {
      for (auto& [member, each] : parts_) each.bytes = 0;
    }
  }

  Collectives all_;
  std::vector<std::int64_t> ends_;  // by collective: the number of its last row
  std::vector<std::pair<int, EventPart>> parts_;
};

std::span<const RowColumn<ArrivalRow>> ArrivalRow::columns() {
  using enum SqlType;
  using Row = const ArrivalRow&;
  static constexpr RowColumn<ArrivalRow> kColumns[] = {
      {"event", Integer, [](Row row) -> SqlCell { return std::int64_t{row.id}; }},
      {"rank", Integer, [](Row row) -> SqlCell { return std::int64_t{row.rank}; }},
      {"step", Integer, [](Row row) -> SqlCell { return stepNumber(row.event.step); }},
      {"time", Integer, [](Row row) -> SqlCell { return row.part.time; }},
      {"duration", Integer,
       [](Row row) {
         return row.part.duration == Event::kRunning ? SqlCell() : SqlCell(row.part.duration);
       }},
      {"exposed", Integer, [](Row row) { return knownOrNull(row.part.exposed); }},
      {"bytes", Integer,
       [](Row row) { return row.knowsBytes() ? SqlCell(row.part.bytes) : SqlCell(); }},
      {"clock", Integer, [](Row row) -> SqlCell { return std::int64_t{row.part.clock}; }},
      {"clock_error", Integer,
       [](Row row) {
         return row.part.error >= EventPart::kUnknown ? SqlCell() : SqlCell(row.part.error);
       }},
  };
  return kColumns;
}

// A row of `problems`.
class ProblemRow {
 public:
  explicit ProblemRow(const SqlSource& source)
      : journal_(source.journal),
        problems_(findProblems(source.journal, source.lost, source.run)) {}
  std::int64_t size() const { return static_cast<std::int64_t>(problems_.size()); }
  void read(std::int64_t row) {
    number = row;
    problem = &problems_[static_cast<std::size_t>(row - 1)];
    first = problem->events.empty() ? 0 : problem->events.front();
    event = first == 0 ? Event() : journal_.at(first);
    site = readSite(journal_.text(event.site));
  }
  static std::span<const RowColumn<ProblemRow>> columns();

  std::int64_t number = 0;
  const Problem* problem = nullptr;
  EventId first = 0;
  Event event;
  SiteRecord site;

 private:
  const Journal& journal_;
  std::vector<Problem> problems_;
};

std::span<const RowColumn<ProblemRow>> ProblemRow::columns() {
  using enum SqlType;
  using Row = const ProblemRow&;
  static constexpr RowColumn<ProblemRow> kColumns[] = {
      {"id", RowNumber, [](Row row) -> SqlCell { return row.number; }},
      {"rule", Text, [](Row row) -> SqlCell { return std::string_view(row.problem->rule); }},
      {"severity", Text, [](Row row) -> SqlCell { return severityText(*row.problem); }},
      {"sentence", Text,
       [](Row row) -> SqlCell { return std::string_view(row.problem->sentence); }},
      {"advice", Text, [](Row row) -> SqlCell { return std::string_view(row.problem->advice); }},
      {"times", Integer,
       [](Row row) -> SqlCell { return static_cast<std::int64_t>(row.problem->times); }},
      {"event", Integer, [](Row row) { return knownOrNull(row.first); }},
      {"file", Text, [](Row row) -> SqlCell { return std::string_view(row.site.file); }},
      {"line", Integer,
       [](Row row) { return knownOrNull(row.site.line > 0 ? row.site.line : row.event.line); }},
      {"module", Text, [](Row row) -> SqlCell { return std::string_view(row.site.module); }},
  };
  return kColumns;
}

}  // namespace

SqlTable collectivesTable() { return tableOf<CollectiveRow>("collectives"); }
SqlTable arrivalsTable() { return tableOf<ArrivalRow>("arrivals"); }
SqlTable foundProblemsTable() { return tableOf<ProblemRow>("problems"); }

}  // namespace shardlens
