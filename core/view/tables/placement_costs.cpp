#include "core/view/tables/placement_costs.h"

#include "core/base/json_text.h"
#include "core/model/byte_count.h"
#include "core/view/words/units.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace shardlens::view {
namespace {

using Json = nlohmann::ordered_json;

const PlacementCost* asItIs(const std::vector<PlacementCost>& costs) {
  const auto found = std::find_if(costs.begin(), costs.end(),
                                  [](const PlacementCost& each) { return each.isNow; });
  return found == costs.end() || !found->refusal.empty() ? nullptr : &*found;
}

std::string nameOf(const PlacementCost& cost, Notation notation) {
  return placementsText(cost.placements, cost.mesh, cost.dimensions, notation);
}

std::string differenceText(const PlacementCost& cost, const PlacementCost* now) {
  if (cost.isNow) return "now";
  return now == nullptr ? "" : costsDifference(now->sent, cost.sent);
}

Cell numberCell(std::string text, std::int64_t number) {
  return {.text = std::move(text), .number = static_cast<double>(number)};
}

Row rowOf(const PlacementCost& cost, const PlacementCost* now, Notation notation) {
  const std::string name = nameOf(cost, notation);
  if (!cost.refusal.empty()) {
    return {.cells = {{.text = name, .tone = Tone::Quiet},
                      {},
                      {},
                      {},
                      {},
                      {.text = "refused: " + cost.refusal, .tone = Tone::Bad}},
            .tooltip = name + ": " + cost.refusal,
            .marked = cost.isNow};
  }
  const bool isBetter = now != nullptr && cost.sent.nanoseconds < now->sent.nanoseconds;
  return {
      .cells = {{name},
                numberCell(durationText(cost.sent.nanoseconds), cost.sent.nanoseconds),
                numberCell(byteCountText(cost.sent.bytes), cost.sent.bytes),
                numberCell(byteCountText(cost.held), cost.held),
                {sentText(cost.sent)},
                {.text = differenceText(cost, now), .tone = isBetter ? Tone::Good : Tone::Plain}},
      .tooltip = name + ": " + sentText(cost.sent),
      .marked = cost.isNow};
}

}  // namespace

void rankByCost(std::vector<PlacementCost>& costs) {
  const auto key = [](const PlacementCost& cost) {
    const bool isRefused = !cost.refusal.empty();
    return isRefused ? std::tuple(true, std::int64_t{0}, std::int64_t{0}, std::int64_t{0})
                     : std::tuple(false, cost.sent.nanoseconds, cost.sent.bytes, cost.held);
  };
  std::stable_sort(costs.begin(), costs.end(),
                   [&](const auto& one, const auto& other) { return key(one) < key(other); });
}

Table placementCostsTable(const std::vector<PlacementCost>& costs, Notation notation) {
  const PlacementCost* now = asItIs(costs);
  std::vector<Row> rows;
  rows.reserve(costs.size());
  for (const PlacementCost& cost : costs) rows.push_back(rowOf(cost, now, notation));
  return {.columns = {{"placements"},
                      {"time", Align::Right},
                      {"sent", Align::Right},
                      {"memory", Align::Right},
                      {"collectives"},
                      {"compared with now"}},
          .rows = Rows(std::move(rows))};
}

std::string cheapestText(const std::vector<PlacementCost>& ranked, Notation notation) {
  if (ranked.empty()) return "no placement was estimated";
  const PlacementCost& best = ranked.front();
  if (!best.refusal.empty()) return "the program is refused for every placement of the tensor";
  const PlacementCost* now = asItIs(ranked);
  if (now == nullptr) return nameOf(best, notation) + " is cheapest";
  if (best.sent.nanoseconds == now->sent.nanoseconds && best.sent.bytes == now->sent.bytes) {
    return nameOf(*now, notation) + " (now) is as cheap as any";
  }
  return fmt::format("{} is cheapest: {} than {} (now)", nameOf(best, notation),
                     costsDifference(now->sent, best.sent), nameOf(*now, notation));
}

nlohmann::ordered_json toJson(const PlacementCost& cost) {
  Json json{{"placements", Json::array()},
            {"mesh", toText(cost.mesh)},
            {"dimensions", cost.dimensions},
            {"now", cost.isNow}};
  for (const Placement& each : cost.placements) json["placements"].push_back(toText(each));
  if (cost.refusal.empty()) {
    json["microseconds"] = static_cast<double>(cost.sent.nanoseconds) / 1e3;
    json["bytes"] = cost.sent.bytes;
    json["collectives"] = cost.sent.collectives;
    json["implicit"] = cost.sent.implicit;
    json["held"] = cost.held;
  }
  json["error"] = cost.refusal.empty() ? Json() : Json{{"message", cost.refusal}};
  return json;
}

std::optional<PlacementCost> placementCostOf(const Json& json) {
  try {
    const auto mesh = parseMesh(json.at("mesh").get<std::string>());
    if (!mesh) return std::nullopt;
    PlacementCost cost{.mesh = *mesh,
                       .dimensions = json.at("dimensions").get<std::size_t>(),
                       .isNow = json.at("now").get<bool>()};
    for (const Json& each : json.at("placements")) {
      const auto placement = parsePlacement(each.get<std::string>());
      if (!placement) return std::nullopt;
      cost.placements.push_back(*placement);
    }
    if (const Json& error = json.at("error"); !error.is_null()) {
      cost.refusal = error.at("message").get<std::string>();
      return cost;
    }
    cost.sent = {.name = {},
                 .collectives = json.at("collectives").get<std::map<std::string, int>>(),
                 .bytes = json.at("bytes").get<std::int64_t>(),
                 .nanoseconds = std::llround(json.at("microseconds").get<double>() * 1e3),
                 .implicit = json.at("implicit").get<int>()};
    cost.held = json.at("held").get<std::int64_t>();
    return cost;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace shardlens::view
