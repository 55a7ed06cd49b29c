#include "app/cli/plan_words.h"

#include "app/cli/table_text.h"
#include "core/plan/priced_plan_record.h"
#include "core/view/tables/alternatives_table.h"
#include "core/view/words/names.h"
#include "core/view/words/units.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace shardlens::cli {
namespace {

using view::estimatedBytesText;
using view::microsecondsText;
using view::plural;

std::string totals(const PricedPlan& plan) {
  return plural(plan.collectives, "collective") + ", " + microsecondsText(plan.total.microseconds) +
         ", " + estimatedBytesText(plan.total.received) + " received, " +
         estimatedBytesText(plan.total.peak) + " peak memory";
}

std::string axes(const DeviceMesh& mesh, const std::vector<int>& meshDims) {
  std::string text;
  for (const int dim : meshDims) {
    text += (text.empty() ? "" : ",") + mesh.names()[static_cast<std::size_t>(dim)];
  }
  return text;
}

view::Table stepTable(const DeviceMesh& mesh, const PricedPlan& plan) {
  std::vector<view::Row> rows;
  for (std::size_t i = 0; i < plan.plan.size(); ++i) {
    const auto& step = plan.plan[i];
    const Price& price = plan.prices[i];
    const bool sends = price.microseconds > 0;
    rows.push_back({.cells = {{std::to_string(i + 1)},
                              {std::string(moveName(step.move))},
                              {axes(mesh, step.meshDims)},
                              {toText(step.to)},
                              {sends ? microsecondsText(price.microseconds) : "-"},
                              {sends ? estimatedBytesText(price.received) : "-"},
                              {estimatedBytesText(price.peak)}}});
  }
  return {
      .columns =
          {{""}, {"operation"}, {"mesh dim"}, {"result"}, {"estimated"}, {"received"}, {"memory"}},
      .rows = std::move(rows)};
}

view::Table otherTable(const Spec& current, const Explanation& why) {
  std::vector<AlternativeRecord> others;
  for (const auto& other : why.alternatives) {
    others.push_back(recordOf(current, other, /*chosen=*/false));
  }
  return view::alternativesTable(others);
}

std::string reason(const Explanation& why) {
  const auto greedy = std::find_if(why.alternatives.begin(), why.alternatives.end(),
                                   [](const auto& other) { return other.name == "greedy"; });
  std::string text;
  if (why.explored > 0) text = "after " + plural(why.explored, "state") + ": ";
  if (greedy != why.alternatives.end()) return text + "greedy has " + totals(*greedy);
  if (why.chosen.name == "greedy") return text + "as DTensor does";
  return text + "the greedy plan costs no more";
}

nlohmann::ordered_json listOf(const Placements& placements) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& p : placements) list.push_back(toText(p));
  return list;
}

void addPrice(nlohmann::ordered_json& json, const Price& price) {
  json["microseconds"] = price.microseconds;
  json["received_bytes"] = price.received;
  json["peak_bytes"] = price.peak;
}

nlohmann::ordered_json jsonOf(const DeviceMesh& mesh, const PricedPlan& plan) {
  nlohmann::ordered_json json{{"name", plan.name}, {"collectives", plan.collectives}};
  addPrice(json, plan.total);
  auto steps = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < plan.plan.size(); ++i) {
    const auto& step = plan.plan[i];
    auto among = nlohmann::ordered_json::array();
    for (const int dim : step.meshDims)
      among.push_back(mesh.names()[static_cast<std::size_t>(dim)]);
    nlohmann::ordered_json one{{"move", moveName(step.move)},
                               {"mesh_dims", std::move(among)},
                               {"from", listOf(step.from)},
                               {"to", listOf(step.to)}};
    addPrice(one, plan.prices[i]);
    steps.push_back(std::move(one));
  }
  json["steps"] = std::move(steps);
  return json;
}

}  // namespace

std::string planText(const Spec& current, const Explanation& why, Alternatives shown, Ink ink) {
  std::string text = ink.bold(toText(current.placements, why.chosen.plan)) + '\n';
  text += std::string(dtypeShortName(current.meta.dtype)) + toText(current.meta.shape) + " on " +
          view::axesText(*current.mesh) + ", " + plural(current.mesh->size(), "rank") + "\n\n";
  text += why.chosen.name + ": " + ink.value(totals(why.chosen)) + '\n';
  text += reason(why) + '\n';
  if (!why.caveat.empty()) text += ink.notice("a cheaper plan may exist: " + why.caveat) + '\n';
  if (!why.chosen.plan.empty()) text += '\n' + tableText(stepTable(*current.mesh, why.chosen), ink);
  if (shown == Alternatives::All && !why.alternatives.empty()) {
    text += '\n' + tableText(otherTable(current, why), ink);
  }
  return text;
}

nlohmann::ordered_json planJson(const Spec& current, const Placements& target,
                                const Explanation& why, Alternatives shown) {
  const DeviceMesh& mesh = *current.mesh;
  nlohmann::ordered_json json{{"shardlens", 1},
                              {"ok", true},
                              {"mesh", {{"shape", mesh.shape()}, {"names", mesh.names()}}},
                              {"shape", current.meta.shape},
                              {"dtype", dtypeName(current.meta.dtype)},
                              {"from", listOf(current.placements)},
                              {"to", listOf(target)},
                              {"explored", why.explored},
                              {"caveat", why.caveat.empty() ? nlohmann::ordered_json()
                                                            : nlohmann::ordered_json(why.caveat)},
                              {"plan", jsonOf(mesh, why.chosen)}};
  auto others = nlohmann::ordered_json::array();
  for (const auto& other : why.alternatives) {
    if (shown == Alternatives::All || other.name == "greedy") others.push_back(jsonOf(mesh, other));
  }
  json["alternatives"] = std::move(others);
  return json;
}

}  // namespace shardlens::cli
