#include "core/edit/program_fields.h"

#include "core/base/json_text.h"
#include "core/edit/json_edit.h"
#include "core/model/dtype.h"
#include "core/model/mesh.h"

#include <algorithm>

namespace shardlens {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::string> kNo;

std::vector<std::string> dtypeNames() {
  std::vector<std::string> names;
  for (int i = 0; i < kDTypes; ++i) names.emplace_back(dtypeName(static_cast<DType>(i)));
  return names;
}

// Returns the value as a user types it: a string without quotes.
std::string typedText(const Json& value) {
  return value.is_string() ? value.get<std::string>() : spacedJson(value);
}

// Collects the fields of one JSON object, with the values that the object has now.
class Fields {
 public:
  Fields(std::string object, const Json& json) : object_(std::move(object)), json_(json) {}

  void add(const std::string& key, const std::string& usual, std::vector<std::string> choices = {},
           bool isOneOf = false) {
    all_.push_back({.object = object_,
                    .key = key,
                    .label = key,
                    .text = json_.contains(key) ? typedText(json_[key]) : std::string(),
                    .usual = usual,
                    .choices = std::move(choices),
                    .isOneOf = isOneOf});
  }
  void addOneOf(const std::string& key, const std::string& usual,
                std::vector<std::string> choices) {
    add(key, usual, std::move(choices), /*isOneOf=*/true);
  }
  void addWritten(const std::string& key) {
    if (json_.contains(key)) add(key, {});
  }
  void add(ProgramField field) { all_.push_back(std::move(field)); }
  const Json& json() const { return json_; }
  const std::string& object() const { return object_; }
  std::vector<ProgramField> all() && { return std::move(all_); }

 private:
  std::string object_;
  const Json& json_;
  std::vector<ProgramField> all_;
};

std::vector<int> numbersOf(const Json& list) {
  std::vector<int> numbers;
  for (const auto& each : list) {
    if (each.is_number_integer()) numbers.push_back(each.get<int>());
  }
  return numbers;
}

std::vector<std::string> textsOf(const Json& list) {
  std::vector<std::string> texts;
  for (const auto& each : list) texts.push_back(typedText(each));
  return texts;
}

Result<DeviceMesh> meshOf(const Json& mesh) {
  return DeviceMesh::make(numbersOf(mesh.value("shape", Json::array())),
                          textsOf(mesh.value("names", Json::array())));
}

std::string meshText(const Json& mesh) {
  const auto read = meshOf(mesh);
  if (!read) return spacedJson(mesh);
  const std::string text = toText(*read);
  return mesh.contains("names") ? text : text.substr(0, text.find(':'));
}

// Returns the number of dimensions of the step's tensor, from its shape or data, else 2.
int dimensionsOf(const Json& step) {
  constexpr int kUnknown = 2;
  if (const auto shape = step.find("shape"); shape != step.end() && shape->is_array()) {
    return static_cast<int>(shape->size());
  }
  if (!step.contains("data")) return kUnknown;
  int depth = 0;
  for (const Json* level = &step["data"]; level->is_array() && !level->empty();
       level = &level->front()) {
    ++depth;
  }
  return depth;
}

void addPlacements(Fields& fields, const std::vector<std::string>& axes) {
  const auto written = textsOf(fields.json()["placements"]);
  std::vector<std::string> choices{"R"};
  for (int dim = 0; dim < dimensionsOf(fields.json()); ++dim) {
    choices.push_back("S(" + std::to_string(dim) + ")");
  }
  choices.emplace_back("P(sum)");
  for (std::size_t axis = 0; axis < std::max(axes.size(), written.size()); ++axis) {
    const std::string name = axis < axes.size() ? axes[axis] : std::to_string(axis);
    fields.add({.object = fields.object(),
                .key = "placements",
                .axis = static_cast<int>(axis),
                .label = "placement on " + name,
                .text = axis < written.size() ? written[axis] : std::string(),
                .usual = {},
                .choices = choices,
                .isOneOf = false});
  }
}

void addDenseSpec(Fields& fields) {
  const bool isData = fields.json().contains("data");
  fields.addOneOf("fill", isData ? "data" : "",
                  {"data", "randn", "rand", "randint", "arange", "full"});
  if (isData) fields.add("data", {});
  fields.add("shape", isData ? "that of the data" : "");
  fields.addOneOf("dtype", "float32", dtypeNames());
  const std::string fill = textOf(fields.json(), "fill");
  if (fill == "randint") {
    fields.add("low", "0");
    fields.add("high", {});
  }
  if (fill == "full") fields.add("value", {});
  if (fill.starts_with("rand")) fields.add("seed", "0");
  fields.addOneOf("requires_grad", "false", {"true", "false"});
}

}  // namespace

std::string stepName(const Json& step, std::size_t place) {
  const std::string id = textOf(step, "id");
  return id.empty() ? "step" + std::to_string(place) : id;
}

std::string stepPlace(int step) { return "/steps/" + std::to_string(step); }

std::vector<std::string> axesOf(const Json& scenario, int step) {
  const Json& own = scenario["steps"][static_cast<std::size_t>(step)];
  const auto mesh = meshOf(own.contains("mesh") ? own["mesh"] : scenario["mesh"]);
  return mesh ? mesh->names() : kNo;
}

std::vector<ProgramField> wholeFields(const Json& scenario) {
  Fields fields({}, scenario);
  fields.add({.object = {},
              .key = "mesh",
              .label = "mesh",
              .text = meshText(scenario["mesh"]),
              .usual = {}});
  fields.addOneOf("masking", scenario.contains("emulate") ? "stepwise" : "fused",
                  {"fused", "stepwise"});
  fields.addOneOf("emulate", "none", {"none", "torch-2.15", "before-131264"});
  fields.addOneOf("planner", "min-cost", {"min-cost", "greedy", "decompose"});
  fields.addOneOf("redistributions", "implicit", {"implicit", "explicit"});
  return std::move(fields).all();
}

std::vector<ProgramField> stepFields(const Json& scenario, int step) {
  const Json& json = scenario["steps"][static_cast<std::size_t>(step)];
  Fields fields(stepPlace(step), json);
  const std::string call = textOf(json, "call");
  if (json.contains("placements")) addPlacements(fields, axesOf(scenario, step));
  if (call == "tensor") {
    addDenseSpec(fields);
    fields.add("source", "all ranks have it");
  } else if (call == "from_locals") {
    fields.add("locals", {});
    fields.add("shape", "computed from the locals");
  } else if (call == "redistribute") {
    fields.addOneOf("forward_dtype", "unchanged", dtypeNames());
    fields.addOneOf("backward_dtype", "unchanged", dtypeNames());
  }
  if (json.contains("args")) fields.add("args", {});
  fields.addWritten("kwargs");
  for (const char* key : {"shard_order", "mesh", "ranks"}) fields.addWritten(key);
  return std::move(fields).all();
}

}  // namespace shardlens
