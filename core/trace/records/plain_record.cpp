#include "core/trace/records/plain_record.h"

#include "core/base/json_text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace shardlens {

PlainCall readPlainCall(std::string_view detail) {
  PlainCall call;
  if (detail.empty()) return call;
  auto json = parsedJson<DetailJson>(detail);
  if (!json.is_object()) return call;
  if (const auto args = json.find("args"); args != json.end() && args->is_object()) {
    call.args = std::move(*args);
  }
  call.collective = textOf(json, "collective");
  call.reduction = textOf(json, "op");
  call.group = textOf(json, "group");
  call.isPointwise = isTrue(json, "pointwise");
  call.isList = isTrue(json, "list");
  call.isUneven = isTrue(json, "uneven");
  call.differs = isTrue(json, "differs");
  for (const auto& index : listOf(json, "mixed")) {
    if (const auto read = integerOf<std::size_t>(index)) call.mixed.push_back(*read);
  }
  return call;
}

std::string joinedCallDetail(const std::vector<std::string_view>& details,
                             const std::vector<std::size_t>& mixed) {
  auto json = parsedJson<DetailJson>(details.front());
  if (!json.is_object()) json = DetailJson::object();
  if (std::ranges::any_of(details, [&](auto each) { return each != details.front(); })) {
    json["differs"] = true;
    const bool isUneven =
        !textOf(json, "collective").empty() &&
        std::ranges::any_of(details, [](auto each) { return readPlainCall(each).isUneven; });
    if (isUneven) json["uneven"] = true;
  }
  if (!mixed.empty()) json["mixed"] = mixed;
  return jsonText(json);
}

PlainRole readPlainRole(std::string_view detail) {
  constexpr std::array<std::pair<std::string_view, PlainRole>, 10> kRoles{
      {{"parameter", PlainRole::Parameter},
       {"buffer", PlainRole::Buffer},
       {"gradient", PlainRole::Gradient},
       {"output", PlainRole::Output},
       {"alias", PlainRole::Alias},
       {"overlap", PlainRole::Overlap},
       {"claim", PlainRole::Claim},
       {"random", PlainRole::Random},
       {"pending", PlainRole::Pending},
       {"loaded", PlainRole::Loaded}}};
  if (detail.empty()) return PlainRole::None;
  const auto role = textOf(parsedJson<DetailJson>(detail), "role");
  for (const auto& [name, value] : kRoles) {
    if (role == name) return value;
  }
  return PlainRole::None;
}

namespace {

// Returns what each rank states along an axis; empty if all state the same.
std::map<int, std::string> statedByRank(const DetailJson& claim, const std::string& axis) {
  std::map<int, std::string> stated;
  for (const auto& each : listOf(claim, "ranks")) {
    const auto rank = integerOf<int>(each, "rank");
    const auto texts = each.is_object() ? each.find("claim") : each.end();
    if (rank && texts != each.end()) stated[*rank] = textOf(*texts, axis.c_str());
  }
  const bool isOne = std::ranges::all_of(
      stated, [&](const auto& each) { return each.second == stated.begin()->second; });
  return isOne ? std::map<int, std::string>() : stated;
}

}  // namespace

std::string joinedClaimDetail(const std::map<int, std::string_view>& detailByRank) {
  const std::string_view first = detailByRank.begin()->second;
  if (readPlainRole(first) != PlainRole::Claim) return std::string(first);
  auto json = parsedJson<DetailJson>(first);
  auto ranks = DetailJson::array();
  auto& all = json["claim"];
  if (!all.is_object()) all = DetailJson::object();
  for (const auto& [rank, detail] : detailByRank) {
    const auto claim = parsedJson<DetailJson>(detail);
    const auto stated = claim.is_object() ? claim.find("claim") : claim.end();
    if (stated == claim.end() || !stated->is_object()) continue;
    ranks.push_back({{"rank", rank}, {"claim", *stated}});
    for (const auto& [axis, text] : stated->items()) {
      if (!all.contains(axis)) all[axis] = text;
    }
  }
  json["ranks"] = std::move(ranks);
  return jsonText(json);
}

PlainStatements readPlainClaim(std::string_view detail) {
  PlainStatements stated;
  const auto json = parsedJson<DetailJson>(detail);
  const auto found = json.is_object() ? json.find("claim") : json.end();
  if (found == json.end() || !found->is_object()) return stated;
  if (auto by = textOf(json, "by"); !by.empty()) stated.by = std::move(by);
  const auto forms = json.find("forms");
  for (const auto& [axis, text] : found->items()) {
    if (!text.is_string()) continue;
    PlainStatement one{.axis = axis};
    if (const auto type = parseLocalType(text.get<std::string>());
        type == LocalType::Invariant || type == LocalType::Varying) {
      one.type = type;
      one.placement = placementOf(*type);
    } else if (auto placement = parsePlacement(text.get<std::string>())) {
      one.placement = std::move(*placement);
    } else {
      continue;
    }
    if (forms != json.end()) {
      for (const auto& distance : listOf(*forms, axis.c_str())) {
        one.form.push_back(integerOf<int>(distance).value_or(-1));
      }
    }
    one.byRank = statedByRank(json, axis);
    stated.axes.push_back(std::move(one));
  }
  return stated;
}

std::string toText(const PlainStatement& statement) {
  if (statement.type) return std::string(toText(*statement.type));
  return statement.placement ? toText(*statement.placement) : std::string();
}

}  // namespace shardlens
