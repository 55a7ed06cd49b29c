#include "core/trace/records/plan_record.h"

#include "core/trace/records/json_fields.h"

namespace shardlens {
namespace {

DetailJson asJson(const PlanStepRecord& step) {
  DetailJson object;
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

DetailJson asJson(const AlternativeRecord& alternative) {
  return {{"name", alternative.name},
          {"steps", alternative.steps},
          {"collectives", alternative.collectives},
          {"bytes", alternative.bytes},
          {"microseconds", alternative.microseconds},
          {"peak", alternative.peak},
          {"chosen", alternative.chosen}};
}

PlanStepRecord readStep(const DetailJson& object) {
  return {textOf(object, "axis"),  integerOf<int>(object, "mesh_dim").value_or(-1),
          textOf(object, "from"),  textOf(object, "to"),
          textOf(object, "move"),  textOf(object, "after"),
          realOf(object, "bytes"), realOf(object, "microseconds")};
}

AlternativeRecord readAlternative(const DetailJson& object) {
  return {textOf(object, "name"),
          textOf(object, "steps"),
          integerOf<int>(object, "collectives").value_or(0),
          realOf(object, "bytes"),
          realOf(object, "microseconds"),
          realOf(object, "peak"),
          isTrue(object, "chosen")};
}

}  // namespace

std::string planDetail(const PlanRecord& plan) {
  DetailJson steps = DetailJson::array();
  for (const auto& step : plan.steps) steps.push_back(asJson(step));
  if (!steps.empty() && !plan.planner.empty()) {
    DetailJson& why = steps.front()["explained"];
    why["planner"] = plan.planner;
    if (plan.explored) why["explored"] = *plan.explored;
    if (!plan.caveat.empty()) why["caveat"] = plan.caveat;
    why["alternatives"] = DetailJson::array();
    for (const auto& alternative : plan.alternatives)
      why["alternatives"].push_back(asJson(alternative));
  }
  return jsonText(steps);
}

PlanRecord readPlan(std::string_view detail) {
  PlanRecord plan;
  const auto steps = parsedJson<DetailJson>(detail);
  if (!steps.is_array()) return plan;
  for (const auto& step : steps) {
    if (!step.is_object()) continue;
    plan.steps.push_back(readStep(step));
    const auto why = step.find("explained");
    if (why == step.end() || !why->is_object()) continue;
    plan.planner = textOf(*why, "planner");
    plan.explored = integerOf<int>(*why, "explored");
    plan.caveat = textOf(*why, "caveat");
    // Formats before 3.1 call the list "ways".
    const bool isOld = !why->contains("alternatives");
    for (const auto& alternative : listOf(*why, isOld ? "ways" : "alternatives")) {
      if (alternative.is_object()) plan.alternatives.push_back(readAlternative(alternative));
    }
  }
  return plan;
}

}  // namespace shardlens
