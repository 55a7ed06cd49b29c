#include "core/query/sql/sql_steps.h"

#include "core/model/step_number.h"
#include "core/query/sql/sql.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

namespace shardlens {
namespace {

using std::int64_t;

constexpr int64_t kGreatestStep = stepNumber(kLastStep);

// What the scans of a statement read.
struct Scanned {
  bool isAll = false;  // also rows outside of `steps`
  std::vector<RankRange> steps = {};
};

bool isNumberOfEvent(std::string_view column) {
  static constexpr std::array kNumbers = {"event", "parent", "subject", "related", "count"};
  return std::ranges::find(kNumbers, column) != kNumbers.end();
}

// The tables whose rows belong to the events of their step alone.
bool isOfStep(std::string_view table) {
  return table == "events" || table == "collectives" || table == "arrivals";
}

// Returns true for text with WITH. Rows of a recursive query may select the steps that it reads
// next.
bool mayRecur(std::string_view select) {
  constexpr std::string_view kWith = "with";
  const auto isSame = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == b;
  };
  return !std::ranges::search(select, kWith, isSame).empty();
}

// A table without rows that notes the bounds of its scans.
class Probe final : public SqlRows {
 public:
  Probe(const SqlTable& table, Scanned& scanned) : table_(table), scanned_(scanned) {}

  int64_t size() const override { return 0; }
  int64_t skip(int64_t row, const std::vector<SqlBound>& bounds) const override {
    int64_t least = std::numeric_limits<int64_t>::min(), most = kGreatestStep;
    for (const auto& [column, relation, value] : bounds) {
      const std::string& name = table_.columns[column].name;
      scanned_.isAll |= isNumberOfEvent(name);
      const auto* number = std::get_if<int64_t>(&value);
      if (name == "step" && number != nullptr) narrow(relation, *number, least, most);
    }
    // Events outside of a step have the number 0.
    scanned_.isAll |= least < 1 || !isOfStep(table_.name);
    if (!scanned_.isAll && least <= most) {
      scanned_.steps.push_back(
          {stepIndex(static_cast<int>(least)), stepIndex(static_cast<int>(most))});
    }
    return row;
  }
  void read(int64_t /*row*/) override {}
  SqlCell cell(std::size_t /*column*/) const override { return {}; }

 private:
  static void narrow(SqlBound::Relation relation, int64_t number, int64_t& least, int64_t& most) {
    number = std::clamp<int64_t>(number, -1, kGreatestStep + 1);
    using enum SqlBound::Relation;
    if (relation == Is || relation == AtLeast) least = std::max(least, number);
    if (relation == More) least = std::max(least, number + 1);
    if (relation == Is || relation == AtMost) most = std::min(most, number);
    if (relation == Less) most = std::min(most, number - 1);
  }

  const SqlTable& table_;
  Scanned& scanned_;
};

}  // namespace

std::vector<RankRange> stepsOfSql(const std::string& select) {
  if (mayRecur(select)) return {};
  Scanned scanned;
  std::vector<SqlTable> probes;
  for (const SqlTable& table : sqlTables()) {
    probes.push_back({table.name, table.columns,
                      [&](const SqlSource&) { return std::make_unique<Probe>(table, scanned); }});
  }
  const Journal none;
  Sql sql({none}, probes);
  int scans = 0;
  bool isOfRows = false;  // a bound on the number of a row, see addTable()
  const auto explained = sql.query("EXPLAIN " + select, [&](const SqlRow& row) {
    const auto& opcode = row[1].second;
    scans += opcode == "VOpen" ? 1 : 0;
    const auto& bounds = row[5].second;
    isOfRows |= opcode == "VFilter" && bounds.is_string() &&
                bounds.get_ref<const std::string&>().find("-1") != std::string::npos;
  });
  if (!explained || scans != 1 || isOfRows || !sql.query(select, [](const SqlRow&) {})) return {};
  return scanned.isAll ? std::vector<RankRange>() : united(std::move(scanned.steps));
}

}  // namespace shardlens
