#include "core/trace/records/plan_record.h"

#include "core/base/json_text.h"

namespace shardlens {
namespace {

using Json = nlohmann::ordered_json;

std::string textOf(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

template <class Number>
Number numberOf(const Json& object, const char* key, Number otherwise = 0) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<Number>() : otherwise;
}

const Json& listOf(const Json& object, const char* key) {
  static const Json kNone = Json::array();
  const auto found = object.find(key);
  return found != object.end() && found->is_array() ? *found : kNone;
}

Json asJson(const PlanStepRecord& step) {
  Json object;
  if (step.meshDim >= 0) object["mesh_dim"] = step.meshDim;
  object["axis"] = step.axis;
  object["from"] = step.from;
  object["to"] = step.to;
  object["move"] = step.move;
  object["after"] = step.after;
  object["bytes"] = step.bytes;
  object["microseconds"] = step.microseconds;
  return object;
}

Json asJson(const PlanWayRecord& way) {
  return {{"name", way.name},
          {"steps", way.steps},
          {"collectives", way.collectives},
          {"bytes", way.bytes},
          {"microseconds", way.microseconds},
          {"peak", way.peak},
          {"chosen", way.chosen}};
}

PlanStepRecord readStep(const Json& object) {
  return {textOf(object, "axis"),
          numberOf(object, "mesh_dim", -1),
          textOf(object, "from"),
          textOf(object, "to"),
          textOf(object, "move"),
          textOf(object, "after"),
          numberOf<double>(object, "bytes"),
          numberOf<double>(object, "microseconds")};
}

PlanWayRecord readWay(const Json& object) {
  const auto chosen = object.find("chosen");
  return {textOf(object, "name"),
          textOf(object, "steps"),
          numberOf<int>(object, "collectives"),
          numberOf<double>(object, "bytes"),
          numberOf<double>(object, "microseconds"),
          numberOf<double>(object, "peak"),
          chosen != object.end() && *chosen == true};
}

}  // namespace

std::string planDetail(const PlanRecord& plan) {
  Json steps = Json::array();
  for (const auto& step : plan.steps) steps.push_back(asJson(step));
  if (!steps.empty() && !plan.planner.empty()) {
    Json& why = steps.front()["explained"];
    why["planner"] = plan.planner;
    if (plan.explored) why["explored"] = *plan.explored;
    if (!plan.caveat.empty()) why["caveat"] = plan.caveat;
    why["ways"] = Json::array();
    for (const auto& way : plan.ways) why["ways"].push_back(asJson(way));
  }
  return steps.dump();
}

PlanRecord readPlan(std::string_view detail) {
  PlanRecord plan;
  const auto steps = parsedJson<Json>(detail);
  if (!steps.is_array()) return plan;
  for (const auto& step : steps) {
    if (!step.is_object()) continue;
    plan.steps.push_back(readStep(step));
    const auto why = step.find("explained");
    if (why == step.end() || !why->is_object()) continue;
    plan.planner = textOf(*why, "planner");
    if (why->contains("explored")) plan.explored = numberOf<int>(*why, "explored");
    plan.caveat = textOf(*why, "caveat");
    for (const auto& way : listOf(*why, "ways")) {
      if (way.is_object()) plan.ways.push_back(readWay(way));
    }
  }
  return plan;
}

}  // namespace shardlens
