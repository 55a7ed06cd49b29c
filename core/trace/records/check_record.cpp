#include "core/trace/records/check_record.h"

#include "core/trace/records/json_fields.h"

#include <fmt/core.h>

namespace shardlens {
namespace {

// Returns the figure as a JSON number or boolean, or as a string if JSON cannot represent it (NaN,
// infinities).
DetailJson valueOf(const std::string& figure) {
  auto value = parsedJson<DetailJson>(figure);
  return value.is_number() || value.is_boolean() ? value : DetailJson(figure);
}

std::string figureOf(const DetailJson& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return {};
  if (found->is_number_float()) return fmt::format("{:.8g}", found->get<double>());
  return found->is_number() || found->is_boolean() ? jsonText(*found) : textOf(object, key);
}

}  // namespace

std::string checkDetail(const CheckRecord& check) {
  DetailJson detail = DetailJson::object();
  if (!check.why.empty()) {
    detail["why"] = check.why;
  } else if (!check.largest.empty()) {
    detail["largest"] = valueOf(check.largest);
    detail["relative"] = valueOf(check.relative);
    if (!check.bound.empty()) detail["bound"] = valueOf(check.bound);
    detail["at"] = check.at;
    detail["rank"] = check.rank;
    detail["got"] = valueOf(check.got);
    detail["expected"] = valueOf(check.expected);
  }
  return jsonText(detail);
}

CheckRecord readCheck(std::string_view detail) {
  const auto object = parsedJson<DetailJson>(detail);
  CheckRecord check;
  check.why = textOf(object, "why");
  check.largest = figureOf(object, "largest");
  check.relative = figureOf(object, "relative");
  check.bound = figureOf(object, "bound");
  for (const auto& place : listOf(object, "at")) {
    if (const auto number = integerOf<std::int64_t>(place)) check.at.push_back(*number);
  }
  check.rank = integerOf<int>(object, "rank").value_or(0);
  check.got = figureOf(object, "got");
  check.expected = figureOf(object, "expected");
  return check;
}

}  // namespace shardlens
