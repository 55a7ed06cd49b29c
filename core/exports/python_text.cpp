#include "core/exports/python_text.h"

#include "core/base/json_text.h"
#include "core/base/text.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace shardlens {
namespace {

using nlohmann::json;

template <class Number>
std::string tupleOf(const std::vector<Number>& numbers) {
  std::vector<std::string> texts;
  for (const auto number : numbers) texts.push_back(std::to_string(number));
  return pythonTuple(texts);
}

Result<std::string> pythonPlacement(const Placement& placement) {
  if (isReplicate(placement)) return "Replicate()";
  if (const auto* shard = std::get_if<Shard>(&placement)) {
    return fmt::format("Shard({})", shard->dim);
  }
  if (const auto* strided = std::get_if<StridedShard>(&placement)) {
    return fmt::format("_StridedShard({}, split_factor={})", strided->dim, strided->splitFactor);
  }
  if (const auto* norm = std::get_if<NormPartial>(&placement)) {
    return fmt::format("_NormPartial({})", norm->norm);
  }
  if (const auto* mask = std::get_if<MaskPartial>(&placement)) {
    return fmt::format("_MaskPartial(reduce_op=\"{}\", offset_shape=torch.Size({}), offset_dim={})",
                       reduceOpName(mask->op), toText(mask->offsetShape), mask->offsetDim);
  }
  const auto& partial = std::get<Partial>(placement);
  if (partial.op != ReduceOp::PremulSum) {
    return fmt::format("Partial(\"{}\")", reduceOpName(partial.op));
  }
  return fail("DTensor has no placement " + toText(placement));
}

// Converts a JSON value; `text` converts the strings in it.
template <class Text>
std::string python(const json& value, const Text& text) {
  if (value.is_null()) return "None";
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (value.is_string()) return text(value.get<std::string>());
  if (!value.is_structured()) return jsonText(value);
  std::vector<std::string> items;
  for (const auto& [key, item] : value.items()) {
    const auto shown = python(item, text);
    items.push_back(value.is_object() ? pythonText(key) + ": " + shown : shown);
  }
  return value.is_object() ? "{" + joined(items) + "}" : "[" + joined(items) + "]";
}

}  // namespace

// JSON's string escapes are valid in Python.
std::string pythonText(std::string_view text) { return jsonText(json(text)); }

std::string pythonTuple(const std::vector<std::string>& items) {
  return "(" + joined(items) + (items.size() == 1 ? ",)" : ")");
}

std::string pythonMesh(const DeviceMesh& mesh) {
  std::vector<std::string> names;
  for (const auto& name : mesh.names()) names.push_back(pythonText(name));
  return pythonTuple({tupleOf(mesh.shape()), pythonTuple(names), tupleOf(mesh.ranks())});
}

Result<std::string> pythonPlacements(const Placements& placements) {
  std::vector<std::string> texts;
  for (const auto& placement : placements) {
    const auto text = pythonPlacement(placement);
    if (!text) return text;
    texts.push_back(*text);
  }
  return "[" + joined(texts) + "]";
}

std::string pythonArgument(const json& argument) {
  return python(argument, [](const std::string& text) {
    if (text.starts_with('$')) return "t[" + pythonText(text.substr(1)) + "]";
    const auto dtype = parseDType(text);
    return dtype ? "torch." + std::string(dtypeName(*dtype)) : pythonText(text);
  });
}

std::string pythonLiteral(const json& value) { return python(value, pythonText); }

std::string pythonElements(DType dtype, const std::vector<std::byte>& elements) {
  const auto count = static_cast<std::int64_t>(elements.size()) / dtypeSize(dtype);
  std::string text = "[";
  for (std::int64_t i = 0; i < count; ++i) {
    if (i != 0) text += ", ";
    if (isComplex(dtype)) {
      const auto number = complexAt(dtype, elements.data(), i);
      text += fmt::format("complex({}, {})", number.real(), number.imag());
      continue;
    }
    const std::string element = elementText(dtype, elements.data(), i);
    text += dtype != DType::Bool ? element : element == "true" ? "True" : "False";
  }
  return text + "]";
}

}  // namespace shardlens
