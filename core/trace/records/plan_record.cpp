#include "core/trace/records/plan_record.h"

#include "core/trace/records/json_fields.h"

namespace shardlens {
namespace {

DetailJson asJson(const PlanStepRecord& step) {
  DetailJson object;
  if (step.meshDims.size() == 1) object["mesh_dim"] = step.meshDims.front();
  if (step.meshDims.size() > 1) object["mesh_dims"] = step.meshDims;
  object["axis"] = step.axis;
  object["from"] = listText(step.from);
  object["to"] = listText(step.to);
  object["move"] = step.move;
  object["after"] = toText(step.after);
  object["bytes"] = step.bytes;
  object["microseconds"] = step.microseconds;
  return object;
}

DetailJson asJson(const AlternativeRecord& alternative) {
  DetailJson object{{"name", alternative.name},
                    {"steps", routeText(alternative.route)},
                    {"collectives", alternative.collectives},
                    {"bytes", alternative.bytes},
                    {"microseconds", alternative.microseconds},
                    {"peak", alternative.peak},
                    {"chosen", alternative.chosen}};
  if (!alternative.via.empty()) object["via"] = toText(alternative.via);
  return object;
}

std::vector<int> readMeshDims(const DetailJson& step) {
  if (const auto one = integerOf<int>(step, "mesh_dim"); one && *one >= 0) return {*one};
  std::vector<int> dims;
  for (const auto& each : listOf(step, "mesh_dims")) {
    const auto dim = integerOf<int>(each);
    if (!dim || *dim < 0) return {};
    dims.push_back(*dim);
  }
  return dims;
}

PlanStepRecord readStep(const DetailJson& object) {
  return {textOf(object, "axis"),  readMeshDims(object),          textOf(object, "from"),
          textOf(object, "to"),    textOf(object, "move"),        textOf(object, "after"),
          realOf(object, "bytes"), realOf(object, "microseconds")};
}

AlternativeRecord readAlternative(const DetailJson& object) {
  return {textOf(object, "name"),
          RecordedPlacements(textOf(object, "via")).placements,
          parseRoute(textOf(object, "steps")).value_or(Route()),
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
    for (const auto& alternative : listOf(*why, "alternatives")) {
      if (alternative.is_object()) plan.alternatives.push_back(readAlternative(alternative));
    }
  }
  return plan;
}

}  // namespace shardlens
