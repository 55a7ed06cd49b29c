#include "tests/ops/written_call.h"

#include "tests/model/written.h"

#include <algorithm>

namespace shardlens {
namespace {

std::string textOf(const OpStrategy& strategy) {
  std::string text = strategy.name + ":";
  for (const auto& input : strategy.inputs) text += " " + toText(input);
  text += " ->";
  for (const auto& output : strategy.outputs) text += " " + toText(output);
  return text;
}

Result<Propagation> propagated(const WrittenCall& call) {
  return propagate(schemaOf(call), findRule(call.name, OpTag::Pointwise), {}, Reasons::Include);
}

}  // namespace

OpSchema schemaOf(const WrittenCall& call) {
  const auto ndim = placementsOf(call.inputs.front().placements).size();
  OpSchema schema;
  schema.name = call.name;
  schema.mesh = meshOf(call.mesh.empty() ? std::vector<int>(ndim, 2) : call.mesh);
  for (const auto& input : call.inputs) {
    schema.inputs.push_back(specOf(schema.mesh, input.shape, input.placements, input.dtype));
  }
  schema.args = call.args;
  schema.outputs = {{call.output, contiguousStrides(call.output), call.inputs.front().dtype}};
  for (const auto& output : call.furtherOutputs) {
    schema.outputs.push_back({output, contiguousStrides(output), call.inputs.front().dtype});
  }
  const auto overload = call.name.find('.', call.name.find('.') + 1);
  if (call.name[std::min(overload, call.name.size()) - 1] == '_') schema.written = {0};
  return schema;
}

std::string chosen(const WrittenCall& call) {
  const auto propagation = propagated(call);
  return propagation ? textOf(propagation->chosen) : propagation.error().message;
}

std::vector<std::string> candidates(const WrittenCall& call) {
  const auto propagation = propagated(call).value();
  std::vector<std::string> texts;
  for (const auto& candidate : propagation.candidates) texts.push_back(textOf(candidate));
  return texts;
}

}  // namespace shardlens
