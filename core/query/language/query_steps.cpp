#include "core/query/language/query_steps.h"

#include "core/model/step_number.h"
#include "core/query/language/interval.h"
#include "core/query/language/query_fields.h"

#include <algorithm>

namespace shardlens {
namespace {

// Returns true if the events that match depend on events of other steps.
bool dependsOnAll(const Term& term) {
  const FieldInfo* field = findField(term.field);
  if (field == nullptr) return term.values.front() == kDiverged;
  return field->field == Field::Id || field->field == Field::Role;
}

// Returns the indexes of the steps that the term accepts; -1 for events outside of a step.
std::vector<RankRange> indexesOf(const Term& term, const FieldInfo& field) {
  std::vector<RankRange> all;
  for (const Interval& interval : intervals(term, field)) {  // a number or a range of numbers
    const auto indexAt = [](double number) {
      return static_cast<int>(std::clamp(number, 0.0, kLastStep + 1.0)) - 1;
    };
    all.push_back({indexAt(interval.least), indexAt(interval.most)});
  }
  return united(std::move(all));
}

std::vector<RankRange> common(const std::vector<RankRange>& a, const std::vector<RankRange>& b) {
  std::vector<RankRange> all;
  for (const auto& one : a) {
    for (const auto& other : b) {
      const RankRange both{std::max(one.first, other.first), std::min(one.last, other.last)};
      if (both.first <= both.last) all.push_back(both);
    }
  }
  return all;
}

}  // namespace

std::vector<RankRange> stepsOf(const Query& query) {
  std::vector<RankRange> steps{{-1, kLastStep}};
  for (const Term& term : query) {
    if (dependsOnAll(term)) return {};
    const FieldInfo* field = findField(term.field);
    if (field == nullptr || field->field != Field::Step || term.isNot) continue;
    steps = common(steps, indexesOf(term, *field));
  }
  const bool isAll = !steps.empty() && steps.front().first < 0;
  return isAll ? std::vector<RankRange>() : steps;
}

}  // namespace shardlens
