#include "core/exports/assertions.h"

#include "core/exports/python_text.h"
#include "core/inference/inference.h"

#include <map>
#include <ostream>
#include <string_view>
#include <utility>

namespace shardlens {
namespace {

constexpr auto kHead =
    R"("""Placements that were inferred from a recording. Call assert_placements(model) before the
first step of a job that `shardlens record --plain` records; `shardlens problems` reports those that are wrong."""
import shardlens

)";
constexpr auto kFoot = R"(

def assert_placements(model):
    """States the placements of the model's parameters and buffers, and of the outputs of its modules."""
    for name, tensor in (*model.named_parameters(), *model.named_buffers()):
        if name in TENSORS:
            shardlens.assert_placement(tensor, **TENSORS[name])
    for name, module in model.named_modules():
        placements = OUTPUTS.get(name or type(model).__name__)
        if placements:
            module.register_forward_hook(lambda module, inputs, output, stated=placements: _assert(output, stated))


def _assert(output, placements):
    first = output[0] if isinstance(output, (tuple, list)) else output
    shardlens.assert_placement(first, **placements)
)";

bool isOutput(const InferredTensor& tensor) { return tensor.role == PlainRole::Output; }

// Gradients have no name in a program before they are computed.
bool isStated(const InferredTensor& tensor) {
  return isOutput(tensor) || tensor.role == PlainRole::Parameter ||
         tensor.role == PlainRole::Buffer;
}

void writeTable(const InferredPlacements& found, bool ofOutputs, std::ostream& out) {
  // Tensors of several stages of a pipeline may have one name: a statement would concern all.
  std::map<std::pair<PlainRole, std::string_view>, int> counts;
  for (const auto& tensor : found.tensors) ++counts[{tensor.role, tensor.name}];
  out << (ofOutputs ? "OUTPUTS" : "TENSORS") << " = {\n";
  for (const auto& tensor : found.tensors) {
    if (!isStated(tensor) || isOutput(tensor) != ofOutputs) continue;
    if (!tensor.ranks.empty() && counts[{tensor.role, tensor.name}] > 1) continue;
    std::string placements;
    for (std::size_t axis = 0; axis < found.axes.size(); ++axis) {
      const auto& placement = tensor.placements[axis].placement;
      if (!placement) continue;
      placements += (placements.empty() ? "" : ", ") + pythonText(found.axes[axis].name) + ": " +
                    pythonText(toText(*placement));
    }
    if (!placements.empty())
      out << "    " << pythonText(tensor.name) << ": {" << placements << "},\n";
  }
  out << "}\n";
}

}  // namespace

Result<std::vector<std::string>> writeAssertions(const Journal& journal, std::ostream& out) {
  const auto found = inferPlacements(journal);
  if (found.tensors.empty()) {
    return fail(
        "assertions: got a recording without plain tensors, expected one of record --plain");
  }
  out << kHead;
  writeTable(found, /*ofOutputs=*/false, out);
  writeTable(found, /*ofOutputs=*/true, out);
  out << kFoot;
  std::vector<std::string> unknown;
  for (const auto& tensor : found.tensors) {
    for (std::size_t axis = 0; axis < found.axes.size(); ++axis) {
      if (!isStated(tensor) || tensor.placements[axis].placement) continue;
      unknown.push_back(tensor.name + " along " + found.axes[axis].name);
    }
  }
  return unknown;
}

}  // namespace shardlens
