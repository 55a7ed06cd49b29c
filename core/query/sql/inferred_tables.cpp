// The tables about the plain tensors of a job: inferred placements, and the ledgers of gradients.
#include "core/base/json_text.h"
#include "core/inference/stages.h"
#include "core/inference/tables.h"
#include "core/inference/words.h"
#include "core/model/ranks_text.h"
#include "core/query/sql/table_rows.h"

#include <tuple>
#include <utility>
#include <vector>

namespace shardlens {
namespace {

// A row of `placements`: a tensor and an axis.
class PlacementRow {
 public:
  explicit PlacementRow(const SqlSource& source)
      : journal(source.journal), found(inferPlacements(source.journal)) {}
  std::int64_t size() const {
    return static_cast<std::int64_t>(found.tensors.size() * found.axes.size());
  }
  void read(std::int64_t row) {
    const auto place = static_cast<std::size_t>(row - 1);
    tensor = &found.tensors[place / found.axes.size()];
    axis = &found.axes[place % found.axes.size()];
    inferred = &tensor->placements[place % found.axes.size()];
  }
  static std::span<const RowColumn<PlacementRow>> columns();

  const Journal& journal;
  const InferredPlacements found;
  const InferredTensor* tensor = nullptr;
  const RankAxis* axis = nullptr;
  const InferredPlacement* inferred = nullptr;
};

std::span<const RowColumn<PlacementRow>> PlacementRow::columns() {
  using enum SqlType;
  using Row = const PlacementRow&;
  static constexpr RowColumn<PlacementRow> kColumns[] = {
      {"tensor", Integer, [](Row row) -> SqlCell { return std::int64_t{row.tensor->tensor}; }},
      {"name", Text, [](Row row) -> SqlCell { return std::string_view(row.tensor->name); }},
      {"role", Text, [](Row row) -> SqlCell { return roleName(row.tensor->role); }},
      {"shape", Text, [](Row row) -> SqlCell { return toText(row.tensor->shape); }},
      {"axis", Text, [](Row row) -> SqlCell { return std::string_view(row.axis->name); }},
      {"ranks", Text,
       [](Row row) -> SqlCell {
         if (row.tensor->ranks.empty()) return ranksText(row.axis->groups);
         const auto within = axesWithin({*row.axis}, row.tensor->ranks);
         return within.empty() ? SqlCell() : SqlCell(ranksText(within.front().groups));
       }},
      {"placement", Text,
       [](Row row) -> SqlCell {
         return row.inferred->placement ? SqlCell(toText(*row.inferred->placement)) : SqlCell();
       }},
      {"contradicted", Integer,
       [](Row row) -> SqlCell { return std::int64_t{row.inferred->isContradicted}; }},
      {"evidence", Text,
       [](Row row) -> SqlCell { return evidenceName(row.inferred->evidence.kind); }},
      {"event", Integer,
       [](Row row) { return knownOrNull(std::int64_t{row.inferred->evidence.event}); }},
      {"because", Text,
       [](Row row) -> SqlCell { return evidenceText(row.journal, *row.axis, *row.inferred); }},
  };
  return kColumns;
}

// A row of `ledger`: an entry of the ledger of a gradient.
class LedgerRow {
 public:
  explicit LedgerRow(const SqlSource& source)
      : journal(source.journal), found(inferPlacements(source.journal)) {
    for (const auto& ledger : found.ledgers) {
      for (const auto& entry : ledger.entries) rows_.emplace_back(&ledger, &entry);
    }
  }
  std::int64_t size() const { return static_cast<std::int64_t>(rows_.size()); }
  void read(std::int64_t row) {
    std::tie(ledger, entry) = rows_[static_cast<std::size_t>(row - 1)];
  }
  static std::span<const RowColumn<LedgerRow>> columns();

  const Journal& journal;
  const InferredPlacements found;
  const GradientLedger* ledger = nullptr;
  const LedgerEntry* entry = nullptr;

 private:
  std::vector<std::pair<const GradientLedger*, const LedgerEntry*>> rows_;
};

std::span<const RowColumn<LedgerRow>> LedgerRow::columns() {
  using enum SqlType;
  using Row = const LedgerRow&;
  static constexpr RowColumn<LedgerRow> kColumns[] = {
      {"gradient", Text, [](Row row) -> SqlCell { return std::string_view(row.ledger->name); }},
      {"read", Integer, [](Row row) -> SqlCell { return std::int64_t{row.ledger->read}; }},
      {"event", Integer, [](Row row) -> SqlCell { return std::int64_t{row.entry->event}; }},
      {"kind", Text, [](Row row) -> SqlCell { return entryName(row.entry->kind); }},
      {"what", Text, [](Row row) -> SqlCell { return std::string_view(row.entry->what); }},
      {"reduction", Text,
       [](Row row) -> SqlCell { return std::string_view(row.entry->reduction); }},
      {"over", Text, [](Row row) -> SqlCell { return overText(*row.entry, row.found.axes); }},
      {"factor", Real,
       [](Row row) -> SqlCell {
         return row.entry->factor ? SqlCell(*row.entry->factor) : SqlCell();
       }},
      {"placements", Text,
       [](Row row) -> SqlCell {
         return jsonText(placementsByAxis(row.found.axes, row.entry->placements));
       }},
  };
  return kColumns;
}

}  // namespace

SqlTable placementsTable() { return tableOf<PlacementRow>("placements"); }
SqlTable ledgerRowsTable() { return tableOf<LedgerRow>("ledger"); }

}  // namespace shardlens
