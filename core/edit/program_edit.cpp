#include "core/edit/program_edit.h"

#include "core/base/json_text.h"
#include "core/edit/json_edit.h"
#include "core/model/mesh.h"
#include "core/model/spec.h"

#include <algorithm>

namespace shardlens {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostData = 4096;  // largest number of elements written as "data"

tl::unexpected<Error> refused(const std::string& got, const std::string& expected) {
  return fail("got " + (got.empty() ? "nothing" : got) + ", expected " + expected);
}

bool isSizes(const Json& value) {
  return value.is_array() && std::all_of(value.begin(), value.end(), [](const Json& each) {
           return each.is_number_integer() && each >= 0;
         });
}

bool isNumbers(const Json& value) {
  if (value.is_array()) return std::all_of(value.begin(), value.end(), isNumbers);
  return value.is_number() || value.is_boolean() || value == "nan" || value == "inf" ||
         value == "-inf";
}

// Returns true if a size or the number of elements exceeds kMostData. Does not overflow.
bool isTooMuchData(const Json& shape) {
  std::size_t count = 1;
  for (const auto& size : shape) {
    if (size > kMostData) return true;
    count *= size.get<std::size_t>();
    if (count > kMostData) return true;
  }
  return false;
}

// Returns the lengths of the nested lists, outermost first, following the first items.
Json shapeOf(const Json& data) {
  Json shape = Json::array();
  for (const Json* level = &data; level->is_array(); level = &level->front()) {
    shape.push_back(level->size());
    if (level->empty()) break;
  }
  return shape;
}

Json zeros(const Json& shape, std::size_t level = 0) {
  if (level == shape.size()) return 0;
  if (shape[level] == 0) return Json::array();
  return Json(std::vector<Json>(shape[level].get<std::size_t>(), zeros(shape, level + 1)));
}

// The check for the value of one key, and its description for errors.
struct Expected {
  const char* key;
  const char* what;
  bool (*is)(const Json& value);
};

constexpr auto isWhole = [](const Json& value) { return value.is_number_integer(); };
constexpr auto isObject = [](const Json& value) { return value.is_object(); };
constexpr auto isList = [](const Json& value) { return value.is_array(); };
constexpr auto isTrueOrFalse = [](const Json& value) { return value.is_boolean(); };

const Expected kExpected[] = {
    {"shape", "a list of sizes, as [10, 3]", isSizes},
    {"data", "numbers, or nested lists of them, as [[1, 2], [3, 4]]", isNumbers},
    {"low", "a whole number", isWhole},
    {"high", "a whole number", isWhole},
    {"seed", "a whole number", isWhole},
    {"source", "a rank", isWhole},
    {"value", "a number", [](const Json& value) { return isNumbers(value) && !value.is_array(); }},
    {"requires_grad", "true or false", isTrueOrFalse},
    {"locals", R"(a list with a tensor a rank, as [{"data": [1, 2]}, ...])", isList},
    {"args", R"(a list, as ["$w", 2])", isList},
    {"kwargs", R"(an object, as {"dim": 1})", isObject},
    {"shard_order", R"(an object, as {"0": [1, 0]})", isObject},
    {"mesh", R"(an object, as {"shape": [2], "names": ["tp"], "ranks": [0, 2]})", isObject},
    {"ranks", "a list of ranks", isSizes},
};

// The edit of one field. run() returns the program's text with the typed value.
class Edit {
 public:
  Edit(const std::string& text, const Json& program, const ProgramField& field,
       std::string_view typed)
      : text_(text),
        program_(program),
        object_(program.at(Json::json_pointer(field.object))),
        field_(field),
        typed_(typed) {}

  Result<std::string> run() const {
    if (field_.key == "placements") return placement();
    if (field_.object.empty()) return field_.key == "mesh" ? mesh() : option();
    if (typed_.empty()) {
      if (field_.usual.empty() && field_.key != "kwargs" && !isOfPlacing()) {
        return refused("", whatIsExpected());
      }
      return withoutMember(text_, field_.object, field_.key);
    }
    if (field_.isOneOf &&
        std::find(field_.choices.begin(), field_.choices.end(), typed_) == field_.choices.end()) {
      return refused(typed_, oneOf());
    }
    if (field_.key == "fill") return fill();
    return value();
  }

 private:
  bool isOfPlacing() const {
    return field_.key == "shard_order" || field_.key == "mesh" || field_.key == "ranks";
  }

  std::string oneOf() const {
    std::string text;
    for (const auto& choice : field_.choices) text += (text.empty() ? "" : ", ") + choice;
    const auto last = text.rfind(", ");
    return last == std::string::npos ? text : text.replace(last, 2, " or ");
  }

  const Expected* expectation() const {
    const auto* const found =
        std::find_if(std::begin(kExpected), std::end(kExpected),
                     [&](const Expected& each) { return each.key == field_.key; });
    return found == std::end(kExpected) ? nullptr : found;
  }

  std::string whatIsExpected() const {
    const Expected* expected = expectation();
    return expected != nullptr ? expected->what : oneOf();
  }

  std::string set(const std::string& text, const std::string& key, const Json& value,
                  std::string_view after = {}) const {
    return withMember(text, field_.object, key, value, after);
  }

  Result<std::string> value() const {
    const Expected* expected = expectation();
    if (expected == nullptr) return set(text_, field_.key, typed_, "shape");
    const auto json = parsedJson<Json>(typed_);
    if (json.is_discarded() || !expected->is(json)) return refused(typed_, expected->what);
    return set(text_, field_.key, json, "fill");
  }

  Result<std::string> placement() const {
    const auto parsed = parsePlacement(typed_);
    if (!parsed) return tl::unexpected(parsed.error());
    Json all = object_.contains("placements") && object_["placements"].is_array()
                   ? object_["placements"]
                   : Json::array();
    const auto axis = static_cast<std::size_t>(field_.axis);
    while (all.size() <= axis) all.push_back("R");
    all[axis] = typed_;
    const auto dims = ownDimensions();
    if (const auto dim = shardedDim(*parsed); dims && dim && (*dim >= *dims || *dim < -*dims)) {
      return refused(typed_, "a dimension of " + std::to_string(*dims) + ", from 0");
    }
    return set(text_, "placements", all);
  }

  // Returns the number of dimensions of the step's tensor if the step has its shape or data.
  std::optional<int> ownDimensions() const {
    if (object_.contains("shape") && isSizes(object_["shape"])) {
      return static_cast<int>(object_["shape"].size());
    }
    if (!object_.contains("data")) return std::nullopt;
    return static_cast<int>(shapeOf(object_["data"]).size());
  }

  // Switches between literal data and a generated fill; adds and removes the keys that each needs.
  Result<std::string> fill() const {
    const bool wasData = object_.contains("data");
    std::string text = text_;
    if (typed_ == "data") {
      if (wasData) return text;
      const Json shape = object_.value("shape", Json::array());
      if (!isSizes(shape) || isTooMuchData(shape)) {
        return refused("data for " + spacedJson(shape),
                       "at most " + std::to_string(kMostData) + " elements to be written out");
      }
      text = set(text, "data", zeros(shape), "fill");
      for (const char* key : {"fill", "shape", "seed", "low", "high", "value"}) {
        text = withoutMember(std::move(text), field_.object, key);
      }
      return text;
    }
    text = set(text, "fill", typed_, wasData ? "data" : "");
    if (!object_.contains("shape")) text = set(text, "shape", shapeOf(object_["data"]), "fill");
    if (typed_ == "randint" && !object_.contains("high")) text = set(text, "high", 10, "shape");
    if (typed_ == "full" && !object_.contains("value")) text = set(text, "value", 0, "shape");
    return withoutMember(std::move(text), field_.object, "data");
  }

  Result<std::string> option() const {
    const bool isLeftOut = typed_.empty() || (field_.key == "emulate" && typed_ == "none");
    if (isLeftOut) return withoutMember(text_, {}, field_.key);
    if (std::find(field_.choices.begin(), field_.choices.end(), typed_) == field_.choices.end()) {
      return refused(typed_, oneOf());
    }
    const bool isFused = field_.key == "masking"
                             ? typed_ == "fused" && program_.contains("emulate")
                             : field_.key == "emulate" && textOf(program_, "masking") == "fused";
    if (isFused) return refused("masking fused", "stepwise, which emulation requires");
    return withMember(text_, {}, field_.key, typed_, "mesh");
  }

  Result<std::string> mesh() const {
    const auto mesh = parseMesh(typed_);
    if (!mesh) return tl::unexpected(mesh.error());
    const auto before = namesOf(program_["mesh"]);
    std::string text = withMember(text_, "/mesh", "shape", mesh->shape());
    const bool isNamed = typed_.find(':') != std::string::npos;
    text = isNamed ? withMember(std::move(text), "/mesh", "names", mesh->names(), "shape")
                   : withoutMember(std::move(text), "/mesh", "names");
    return withAxes(std::move(text), before, isNamed ? mesh->names() : std::vector<std::string>(),
                    static_cast<std::size_t>(mesh->ndim()));
  }

  static std::vector<std::string> namesOf(const Json& mesh) {
    std::vector<std::string> names;
    if (!mesh.contains("names")) return names;
    for (const auto& name : mesh["names"])
      names.push_back(name.is_string() ? name.get<std::string>() : "");
    return names;
  }

  // Adapts the placements of all steps on the program's mesh to its new axes. An axis keeps its
  // placement by name, or by position if no name matches. A new axis is replicated.
  std::string withAxes(std::string text, const std::vector<std::string>& before,
                       const std::vector<std::string>& after, std::size_t dims) const {
    std::vector<std::size_t> from(dims);
    bool isKnown = false;
    for (std::size_t dim = 0; dim < dims; ++dim) {
      const auto found =
          dim < after.size() ? std::find(before.begin(), before.end(), after[dim]) : before.end();
      from[dim] = static_cast<std::size_t>(found - before.begin());
      isKnown = isKnown || found != before.end();
      if (found == before.end()) from[dim] = std::string::npos;
    }
    for (std::size_t dim = 0; dim < dims && !isKnown; ++dim) from[dim] = dim;
    for (std::size_t step = 0; step < program_["steps"].size(); ++step) {
      const Json& json = program_["steps"][step];
      if (!json.contains("placements") || json.contains("mesh")) continue;
      const Json& old = json["placements"];
      Json placements = Json::array();
      for (const std::size_t dim : from) {
        placements.push_back(old.is_array() && dim < old.size() ? old[dim] : Json("R"));
      }
      text =
          withValue(std::move(text), stepPlace(static_cast<int>(step)) + "/placements", placements);
    }
    return text;
  }

  const std::string& text_;
  const Json& program_;
  const Json& object_;
  const ProgramField& field_;
  const std::string typed_;
};

}  // namespace

Result<Json> readProgram(std::string_view text) {
  auto json = parsedJson<Json>(text, Comments::Allowed);
  const auto isScenario = [&] {
    return json.is_object() && json.contains("mesh") && json["mesh"].is_object() &&
           json.contains("steps") && json["steps"].is_array() &&
           std::all_of(json["steps"].begin(), json["steps"].end(), isObject);
  };
  if (json.is_discarded() || !isScenario()) {
    return fail("got a text that is not a scenario, expected one with a mesh and steps");
  }
  return json;
}

Result<std::string> withField(const std::string& text, const ProgramField& field,
                              std::string_view typed) {
  return readProgram(text).and_then([&](const Json& program) -> Result<std::string> {
    if (!program.contains(Json::json_pointer(field.object))) {
      return fail("got no step " + field.object + ", expected one that the program has");
    }
    return Edit(text, program, field, typed).run();
  });
}

}  // namespace shardlens
