// The tables that describe a whole run: its collectives, the arrival of each rank at each of them,
// and its problems.
#include "core/model/ranks_text.h"
#include "core/model/step_number.h"
#include "core/query/language/event_filter.h"
#include "core/query/problems/problems.h"
#include "core/query/problems/problems_table.h"
#include "core/query/sql/table_rows.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/merge/merged_parts.h"
#include "core/trace/records/site_record.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace shardlens {
namespace {

// Finds the collectives of a journal and the hosted ranks of each.
class Collectives {
 public:
  struct Members {
    std::int64_t ofGroup = 0;      // number of ranks in the first group
    std::vector<int> hosted = {};  // of all groups, in their order
  };

  explicit Collectives(const Journal& journal) : journal_(journal), hosted_(hostedRanges(journal)) {
    const EventFilter filter(journal, parseQuery("kind:collective").value());
    for (EventId id = filter.next(0); id != 0; id = filter.next(id)) events_.push_back(id);
  }

  const std::vector<EventId>& events() const { return events_; }

  const Members& membersOf(const Event& event) {
    const auto [known, isNew] = members_.try_emplace(event.ranks);
    if (!isNew) return known->second;
    const auto groups = parseRanks(journal_.text(event.ranks));
    if (!groups.empty()) known->second.ofGroup = static_cast<std::int64_t>(groups.front().size());
    for (const auto& group : groups) {
      for (const int rank : group) {
        if (contains(hosted_, rank)) known->second.hosted.push_back(rank);
      }
    }
    return known->second;
  }

 private:
  const Journal& journal_;
  std::vector<RankRange> hosted_;
  std::vector<EventId> events_;
  std::unordered_map<StringId, Members> members_;  // by the text of the ranks
};

// A row of `collectives`.
class CollectiveRow {
 public:
  explicit CollectiveRow(const SqlSource& source)
      : journal(source.journal), axes(source.journal), all_(source.journal) {}
  std::int64_t size() const { return static_cast<std::int64_t>(all_.events().size()); }
  void read(std::int64_t row) {
    id = all_.events()[static_cast<std::size_t>(row - 1)];
    event = journal.at(id);
    site = readSite(journal.text(event.site));
    members = &all_.membersOf(event);
    arrived = std::ranges::count_if(
        members->hosted, [this](int rank) { return journal.part(id, rank).has_value(); });
  }
  static std::span<const RowColumn<CollectiveRow>> columns();

  const Journal& journal;
  EventId id = 0;
  Event event;
  SiteRecord site;
  mutable Axes axes;
  const Collectives::Members* members = nullptr;
  std::int64_t arrived = 0;  // hosted members that have called it

 private:
  Collectives all_;
};

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
      {"axis", Text, [](Row row) -> SqlCell { return std::string_view(row.axes.of(row.event)); }},
      {"ranks", Text, kText<&Event::ranks>},
      {"members", Integer, [](Row row) -> SqlCell { return row.members->ofGroup; }},
      {"process_group", Text,
       [](Row row) -> SqlCell { return row.journal.text(groupOf(row.journal, row.event)); }},
      {"sequence", Integer, kNumber<&Event::sequence>},
      {"bytes", Integer, kNumber<&Event::bytes>},
      {"time", Integer, kNumber<&Event::time>},
      {"duration", Integer, [](Row row) { return durationOrNull(row.event.duration); }},
      {"exposed", Integer, [](Row row) { return knownOrNull(row.event.exposed); }},
      {"arrived", Integer, [](Row row) -> SqlCell { return row.arrived; }},
      {"expected", Integer,
       [](Row row) { return SqlCell(static_cast<std::int64_t>(row.members->hosted.size())); }},
      {"file", Text, siteOf<&SiteRecord::file>},
      {"line", Integer,
       [](Row row) -> SqlCell { return std::int64_t{lineOf(row.site, row.event)}; }},
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
      for (const int rank : all_.membersOf(journal.at(event)).hosted) {
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
    for (const int member : all_.membersOf(event).hosted) {
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
      {"duration", Integer, [](Row row) { return durationOrNull(row.part.duration); }},
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
      {"line", Integer, [](Row row) { return knownOrNull(lineOf(row.site, row.event)); }},
      {"module", Text, [](Row row) -> SqlCell { return std::string_view(row.site.module); }},
      {"bytes", Integer, [](Row row) { return knownOrNull(row.problem->bytes); }},
      {"cause", Text, [](Row row) -> SqlCell { return std::string_view(row.problem->cause); }},
  };
  return kColumns;
}

}  // namespace

SqlTable collectivesTable() { return tableOf<CollectiveRow>("collectives"); }
SqlTable arrivalsTable() { return tableOf<ArrivalRow>("arrivals"); }
SqlTable foundProblemsTable() { return tableOf<ProblemRow>("problems"); }

}  // namespace shardlens
