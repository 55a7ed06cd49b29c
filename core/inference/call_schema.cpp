#include "core/inference/call_schema.h"

#include "core/model/dtype.h"

#include <utility>

namespace shardlens {
namespace {

// Returns nullopt for a value that is not one of the `inputs` tensors.
std::optional<std::size_t> tensorIndex(const DetailJson& value, std::size_t inputs) {
  if (!value.is_object()) return std::nullopt;
  const auto index = integerOf<std::size_t>(value, "tensor");
  return index && *index < inputs ? index : std::nullopt;
}

ArgValue listValue(const DetailJson& list, std::size_t inputs) {
  std::vector<std::int64_t> numbers;
  std::vector<TensorIndex> tensors;
  for (const auto& each : list) {
    if (const auto index = tensorIndex(each, inputs)) {
      tensors.push_back({*index});
    } else if (each.is_null()) {
      tensors.push_back({});
    } else if (each.is_boolean()) {
      numbers.push_back(each.get<bool>() ? 1 : 0);
    } else if (const auto number = integerOf<std::int64_t>(each)) {
      numbers.push_back(*number);
    }
  }
  if (!tensors.empty()) return tensors;
  return numbers;
}

ArgValue valueOf(const DetailJson& value, std::size_t inputs) {
  if (value.is_null()) return std::monostate{};
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number()) return value.get<double>();
  if (value.is_array()) return listValue(value, inputs);
  if (const auto index = tensorIndex(value, inputs)) return TensorIndex{*index};
  if (value.is_object()) {
    if (const auto dtype = parseDType(textOf(value, "dtype"))) return *dtype;
    return textOf(value, "dtype");
  }
  return value.get<std::string>();
}

}  // namespace

OpSchema schemaOf(const PlainGraph& graph, const PlainOperation& op, const Placements& candidates) {
  static const MeshPtr kMesh = shared(*DeviceMesh::make({2}));
  OpSchema schema;
  schema.name = op.name;
  schema.mesh = kMesh;
  for (const std::size_t input : op.inputs) {
    schema.inputs.emplace_back(kMesh, candidates, graph.variables[input].meta);
  }
  for (const std::size_t output : op.outputs) {
    schema.outputs.push_back(graph.variables[output].meta);
  }
  if (op.call->args.is_object()) {
    for (const auto& [name, value] : op.call->args.items()) {
      schema.args.push_back({name, valueOf(value, op.inputs.size())});
    }
  }
  for (const int input : op.written) {
    if (input >= 0) schema.written.push_back(static_cast<std::size_t>(input));
  }
  return schema;
}

}  // namespace shardlens
