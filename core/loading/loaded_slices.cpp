#include "core/loading/loaded_slices.h"

#include "core/loading/slice_comparison.h"
#include "core/loading/stored_names.h"
#include "core/trace/journal/tensor_ranks.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace shardlens {
namespace {

// Returns the relative error of rounding to a dtype.
double unitOf(DType dtype) {
  switch (dtype) {
    case DType::Float16:
      return 0x1p-11;
    case DType::BFloat16:
      return 0x1p-8;
    case DType::Float32:
      return 0x1p-24;
    default:
      return 0;
  }
}

// Returns what the ranks recorded of a tensor; empty if one has no elements, or is not on all axes.
std::vector<LocalPart> localsOf(const Journal& journal, TensorId tensor, EventId event,
                                const std::vector<RankAxis>& axes) {
  std::vector<LocalPart> locals;
  for (const int rank : hostedRanks(journal)) {
    auto elements = recordedElements(journal, tensor, event, rank);
    if (!elements) return {};
    locals.push_back({rank, std::move(*elements)});
    for (const auto& axis : axes) {
      for (const auto& group : axis.groups) {
        const auto place = std::find(group.begin(), group.end(), rank);
        if (place == group.end()) continue;
        locals.back().places.push_back(static_cast<std::size_t>(place - group.begin()));
      }
    }
    if (locals.back().places.size() != axes.size()) return {};
  }
  return locals;
}

void compare(const Journal& journal, const InferredTensor& tensor, EventId event, TensorId id,
             const std::vector<RankAxis>& axes, OpenFiles& files, const CheckpointTensor& stored,
             LoadedTensor& result) {
  constexpr std::size_t kMostAxes = 4;
  if (axes.size() > kMostAxes) {
    result.whyNot = fmt::format("more than {} axes", kMostAxes);
    return;
  }
  const auto locals = localsOf(journal, id, event, axes);
  if (locals.empty()) {
    result.whyNot = "not all ranks have recorded its elements";
    return;
  }
  const auto whole = storedElements(files, stored);
  if (!whole) {
    result.whyNot = whole.error().message;
    return;
  }
  const bool isSameType = dtypeName(journal.tensor(id).dtype) == stored.type->name;
  SliceComparison comparison(locals, *whole, axes.size(),
                             isSameType ? 0 : unitOf(journal.tensor(id).dtype));
  const bool hasDims = std::all_of(locals.begin(), locals.end(), [&](const LocalPart& local) {
    return local.elements.shape.size() == stored.shape.size();
  });
  const auto best = hasDims ? comparison.best(tensor.placements) : std::nullopt;
  if (!best) {
    result.whyNot =
        fmt::format("the shapes of the ranks are no slices of {}", extentsText(stored.shape));
  } else if (best->matches == 0 && !comparison.hasAnySlice()) {
    result.whyNot = "no rank has values of it";
  } else {
    result.placements = best->placements;
    for (std::size_t i = 0; i < locals.size(); ++i) {
      result.slices.push_back({locals[i].rank, {best->offsets[i], locals[i].elements.shape}});
    }
    result.problems = comparison.problemsOf(stored.name, *best);
  }
}

}  // namespace

std::vector<LoadedTensor> compareWithCheckpoint(const Journal& journal,
                                                const InferredPlacements& inferred,
                                                const Checkpoint& checkpoint) {
  std::vector<LoadedTensor> results;
  std::set<std::string> seen;
  OpenFiles files(checkpoint);
  const StoredNames names(checkpoint);
  std::map<std::pair<PlainRole, std::string_view>, const InferredTensor*> inferredOf;
  for (const auto& tensor : inferred.tensors) {
    inferredOf.try_emplace({tensor.role, tensor.name}, &tensor);
  }
  for (EventId id = 1; id <= journal.size(); ++id) {
    const Event event = journal.at(id);
    if (event.kind != EventKind::Result || event.detail == 0) continue;
    const PlainRole role = readPlainRole(journal.detail(event));
    if (role != PlainRole::Parameter && role != PlainRole::Buffer) continue;
    const std::string name(journal.name(event));
    if (!seen.insert(name).second) continue;
    const auto tensor = inferredOf.find({role, name});
    if (tensor == inferredOf.end()) continue;
    LoadedTensor& result = results.emplace_back(LoadedTensor{.name = name});
    const auto* const stored = names.find(name);
    if (stored == nullptr) {
      result.whyNot = "the checkpoint has no such tensor";
      continue;
    }
    result.stored = stored->name;
    compare(journal, *tensor->second, id, event.subject, inferred.axes, files, *stored, result);
  }
  return results;
}

}  // namespace shardlens
