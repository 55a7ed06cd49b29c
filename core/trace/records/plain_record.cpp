#include "core/trace/records/plain_record.h"

#include "core/base/json_text.h"

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
  call.differs = isTrue(json, "differs");
  for (const auto& index : listOf(json, "mixed")) {
    if (const auto read = integerOf<std::size_t>(index)) call.mixed.push_back(*read);
  }
  return call;
}

std::string markedCallDetail(std::string_view first, bool differs,
                             const std::vector<std::size_t>& mixed) {
  auto json = parsedJson<DetailJson>(first);
  if (!json.is_object()) json = DetailJson::object();
  if (differs) json["differs"] = true;
  if (!mixed.empty()) json["mixed"] = mixed;
  return jsonText(json);
}

PlainRole readPlainRole(std::string_view detail) {
  constexpr std::array<std::pair<std::string_view, PlainRole>, 9> kRoles{
      {{"parameter", PlainRole::Parameter},
       {"buffer", PlainRole::Buffer},
       {"gradient", PlainRole::Gradient},
       {"output", PlainRole::Output},
       {"alias", PlainRole::Alias},
       {"overlap", PlainRole::Overlap},
       {"claim", PlainRole::Claim},
       {"random", PlainRole::Random},
       {"pending", PlainRole::Pending}}};
  if (detail.empty()) return PlainRole::None;
  const auto role = textOf(parsedJson<DetailJson>(detail), "role");
  for (const auto& [name, value] : kRoles) {
    if (role == name) return value;
  }
  return PlainRole::None;
}

std::vector<std::pair<std::string, Placement>> readPlainClaim(std::string_view detail) {
  std::vector<std::pair<std::string, Placement>> claims;
  const auto json = parsedJson<DetailJson>(detail);
  const auto found = json.is_object() ? json.find("claim") : json.end();
  if (found == json.end() || !found->is_object()) return claims;
  for (const auto& [axis, text] : found->items()) {
    const auto placement = text.is_string() ? parsePlacement(text.get<std::string>())
                                            : Result<Placement>(fail("not a text"));
    if (placement) claims.emplace_back(axis, *placement);
  }
  return claims;
}

}  // namespace shardlens
