// The tables about the programs of the ranks: the roles, and where ranks of a role part.
#include "core/model/rank_ranges.h"
#include "core/model/rank_selector.h"
#include "core/model/step_number.h"
#include "core/query/sql/table_rows.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/merge/program_roles.h"
#include "core/trace/records/site_record.h"

#include <utility>

namespace shardlens {
namespace {

// A row of `roles`.
class RoleRow {
 public:
  explicit RoleRow(const SqlSource& source)
      : mesh_(recordedMesh(source.journal)), roles_(programRoles(source.journal)) {}
  std::int64_t size() const { return static_cast<std::int64_t>(roles_.size()); }
  void read(std::int64_t row) {
    number = row;
    role = &roles_[static_cast<std::size_t>(row - 1)];
  }
  std::string axes() const { return mesh_ ? axesSelecting(role->ranks, *mesh_) : std::string(); }
  static std::span<const RowColumn<RoleRow>> columns();

  std::int64_t number = 0;
  const ProgramRole* role = nullptr;

 private:
  std::optional<DeviceMesh> mesh_;
  std::vector<ProgramRole> roles_;
};

std::span<const RowColumn<RoleRow>> RoleRow::columns() {
  using enum SqlType;
  using Row = const RoleRow&;
  static constexpr RowColumn<RoleRow> kColumns[] = {
      {"id", RowNumber, [](Row row) -> SqlCell { return row.number; }},
      {"ranks", Text, [](Row row) -> SqlCell { return rangesText(row.role->ranks); }},
      {"members", Integer, [](Row row) -> SqlCell { return rankCount(row.role->ranks); }},
      {"axes", Text, [](Row row) -> SqlCell { return row.axes(); }},
      {"first_rank", Integer,
       [](Row row) -> SqlCell { return std::int64_t{row.role->ranks.front().first}; }},
  };
  return kColumns;
}

// A row of `divergences`.
class DivergenceRow {
 public:
  explicit DivergenceRow(const SqlSource& source)
      : journal(source.journal), divergences_(divergences(source.journal)) {}
  std::int64_t size() const { return static_cast<std::int64_t>(divergences_.size()); }
  void read(std::int64_t row) {
    divergence = &divergences_[static_cast<std::size_t>(row - 1)];
    for (const auto& [side, into] :
         {std::pair(&divergence->other, &other), std::pair(&divergence->most, &most)}) {
      into->id = side->event;
      into->ranks = rangesText(side->ranks);
      into->event = journal.at(side->event);
      into->site = readSite(journal.text(into->event.site));
    }
  }
  static std::span<const RowColumn<DivergenceRow>> columns();

  struct Side {
    EventId id = 0;
    std::string ranks;
    Event event;
    SiteRecord site;
  };
  const Journal& journal;
  const Divergence* divergence = nullptr;
  Side other, most;

 private:
  std::vector<Divergence> divergences_;
};

using SideOf = DivergenceRow::Side DivergenceRow::*;
template <SideOf kSide>
SqlCell sideRanks(const DivergenceRow& row) {
  return std::string_view((row.*kSide).ranks);
}
template <SideOf kSide>
SqlCell sideEvent(const DivergenceRow& row) {
  return std::int64_t{(row.*kSide).id};
}
template <SideOf kSide>
SqlCell sideName(const DivergenceRow& row) {
  return row.journal.name((row.*kSide).event);
}
template <SideOf kSide>
SqlCell sideFile(const DivergenceRow& row) {
  return std::string_view((row.*kSide).site.file);
}
template <SideOf kSide>
SqlCell sideLine(const DivergenceRow& row) {
  return knownOrNull(lineOf((row.*kSide).site, (row.*kSide).event));
}
template <SideOf kSide>
SqlCell sideModule(const DivergenceRow& row) {
  return std::string_view((row.*kSide).site.module);
}

std::span<const RowColumn<DivergenceRow>> DivergenceRow::columns() {
  using enum SqlType;
  using Row = const DivergenceRow&;
  constexpr SideOf kOther = &DivergenceRow::other, kMost = &DivergenceRow::most;
  static constexpr RowColumn<DivergenceRow> kColumns[] = {
      {"step", Integer, [](Row row) -> SqlCell { return stepNumber(row.divergence->step); }},
      {"ranks", Text, sideRanks<kOther>},
      {"event", Integer, sideEvent<kOther>},
      {"name", Text, sideName<kOther>},
      {"file", Text, sideFile<kOther>},
      {"line", Integer, sideLine<kOther>},
      {"module", Text, sideModule<kOther>},
      {"most_ranks", Text, sideRanks<kMost>},
      {"most_event", Integer, sideEvent<kMost>},
      {"most_name", Text, sideName<kMost>},
      {"most_file", Text, sideFile<kMost>},
      {"most_line", Integer, sideLine<kMost>},
      {"most_module", Text, sideModule<kMost>},
  };
  return kColumns;
}

}  // namespace

SqlTable rolesTable() { return tableOf<RoleRow>("roles"); }
SqlTable divergencesTable() { return tableOf<DivergenceRow>("divergences"); }

}  // namespace shardlens
