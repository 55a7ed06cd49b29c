#include "core/exports/recorded_python.h"

#include "core/exports/python_text.h"
#include "core/model/spec.h"

#include <fmt/core.h>

#include <algorithm>

namespace shardlens {
namespace {

constexpr std::int64_t kMostElements = 1'000'000;  // about 10 MB of text

}  // namespace

Result<std::string> RecordedPython::text(TensorId id, const std::string& name, EventId position) {
  const TensorRecord tensor = journal_.tensor(id);
  const DeviceMesh& mesh = tensor.mesh ? *tensor.mesh : mesh_;
  const auto placements = pythonPlacements(tensor.placements);
  if (!placements) return placements;
  const auto masks =
      std::count_if(tensor.placements.begin(), tensor.placements.end(), isMaskPartial);
  if (masks > 1) return fail(name + " is masked along several mesh dimensions");
  const auto shards = shardsText(id, name, mesh, position);
  if (!shards) return shards;
  std::string text =
      fmt::format("Recorded(\n        torch.{}, {}, {}, {},\n        {}", dtypeName(tensor.dtype),
                  toText(tensor.shape), pythonMesh(mesh), *placements, *shards);
  const auto state = states_.at(position).tensor(id);
  if (masks == 1 && state && state->mask != 0) {
    const auto bits = shardsText(state->mask, "the mask of " + name, mesh, position);
    if (!bits) return bits;
    text += ",\n        " + *bits;
  }
  return text + ")";
}

// Ranks with equal shards share one entry.
Result<std::string> RecordedPython::shardsText(TensorId id, const std::string& name,
                                               const DeviceMesh& mesh, EventId position) {
  std::vector<std::pair<std::string, std::vector<std::string>>> held;
  for (const int rank : mesh.ranks()) {
    const auto value = journal_.value(id, rank, position);
    const auto elements = value ? journal_.elements(*value) : nullptr;
    if (elements == nullptr) {
      return fail(fmt::format("the recording does not have the elements of {} on rank {}{}", name,
                              rank, value ? ", only statistics" : ""));
    }
    const DType dtype = journal_.tensor(id).dtype;
    std::string shard = toText(value->shape) + ", " + pythonElements(dtype, *elements);
    auto found = std::find_if(held.begin(), held.end(),
                              [&](const auto& known) { return known.first == shard; });
    if (found == held.end()) {
      elements_ += elementCount(value->shape);
      found = held.insert(held.end(), {std::move(shard), {}});
    }
    found->second.push_back(std::to_string(rank));
    if (elements_ > kMostElements) {
      return fail(fmt::format("its tensors have more than {} elements", kMostElements));
    }
  }
  std::string text = "[";
  for (const auto& [shard, ranks] : held) {
    text += fmt::format("\n            ({}, {}),", pythonTuple(ranks), shard);
  }
  return text + "\n        ]";
}

}  // namespace shardlens
