#include "core/query/language/interval.h"

namespace shardlens {
namespace {

Interval related(Term::Relation relation, double least, double most) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  switch (relation) {
    case Term::Relation::More:
      return {most, kInfinite, true};
    case Term::Relation::AtLeast:
      return {least, kInfinite, false};
    case Term::Relation::Less:
      return {-kInfinite, least, true};
    case Term::Relation::AtMost:
      return {-kInfinite, most, false};
    case Term::Relation::Is:
      break;
  }
  return {least, most, false};
}

}  // namespace

std::vector<Interval> intervals(const Term& term, const FieldInfo& field) {
  std::vector<Interval> all;
  for (const auto& value : term.values) {
    if (field.type == FieldType::Amount) {
      const double amount = parseQuantity(value, field.unit).value();
      all.push_back(related(term.relation, amount, amount));
    } else {
      const auto [first, last] = parseRange(value).value();
      all.push_back(related(term.relation, static_cast<double>(first), static_cast<double>(last)));
    }
  }
  return all;
}

}  // namespace shardlens
