#include "core/view/words/placement_words.h"

#include "core/base/text.h"
#include "core/model/shard_order.h"
#include "core/trace/journal/tensor_ranks.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace shardlens::view {
namespace {

constexpr std::array<std::pair<Notation, std::string_view>, 3> kNames{
    {{Notation::DTensor, "dtensor"},
     {Notation::NamedAxes, "axes"},
     {Notation::PartitionSpec, "jax"}}};

std::string listText(const Placements& placements) {
  std::vector<std::string> texts;
  for (const auto& placement : placements) texts.push_back(toText(placement));
  return joined(texts);
}

std::string namedAxesText(const Placements& placements, const DeviceMesh& mesh) {
  std::string text;
  for (std::size_t axis = 0; axis < placements.size(); ++axis) {
    text += (axis == 0 ? "" : " ") + mesh.names()[axis] + ":" + toText(placements[axis]);
  }
  return text;
}

// Builds a PartitionSpec: one entry per tensor dimension, and the partial axes.
class PartitionSpecText {
 public:
  PartitionSpecText(const Placements& placements, const DeviceMesh& mesh, Dimensions dimensions)
      : placements_(placements), mesh_(mesh), entries_(dimensions.value_or(0)) {
    const auto order = shardOrderOf(placements, mesh);
    order ? addInOrder(*order) : addStrided();
  }

  std::string text() const {
    std::vector<std::string> parts;
    for (const auto& axes : entries_) {
      parts.push_back(axes.empty()       ? "None"
                      : axes.size() == 1 ? axes.front()
                                         : "(" + joined(axes) + ")");
    }
    if (const auto terms = pendingTerms(); !terms.empty()) {
      parts.push_back("unreduced={" + joined(terms) + "}");
    }
    return "P(" + joined(parts) + ")";
  }

 private:
  std::string quoted(std::size_t axis) const { return "'" + mesh_.names()[axis] + "'"; }

  void add(int dimension, const std::string& axis) {
    const auto at = static_cast<std::size_t>(std::max(dimension, 0));
    if (at >= entries_.size()) entries_.resize(at + 1);
    entries_[at].push_back(axis);
  }
  // Lists the axes of each dimension, outermost first.
  void addInOrder(const ShardOrder& order) {
    for (const auto& [dimension, axes] : order) {
      for (const int axis : axes) add(dimension, quoted(static_cast<std::size_t>(axis)));
    }
  }
  void addStrided() {
    for (std::size_t axis = 0; axis < placements_.size(); ++axis) {
      const auto dimension = shardedDim(placements_[axis]);
      if (!dimension) continue;
      const auto* strided = std::get_if<StridedShard>(&placements_[axis]);
      add(*dimension, strided == nullptr
                          ? quoted(axis)
                          : fmt::format("strided({}, {})", quoted(axis), strided->splitFactor));
    }
  }

  // Returns a partial in DTensor's notation, or only its operation if that is sufficient.
  static std::string termText(const Placement& placement) {
    const auto* partial = std::get_if<Partial>(&placement);
    if (partial == nullptr) return toText(placement);
    const auto text = toText(placement);  // "P(max)"
    return partial->op == ReduceOp::PremulSum ? text : text.substr(2, text.size() - 3);
  }

  std::vector<std::string> pendingTerms() const {
    const Placement sum = Partial{};
    std::vector<std::size_t> pending;
    for (std::size_t axis = 0; axis < placements_.size(); ++axis) {
      if (isPartial(placements_[axis])) pending.push_back(axis);
    }
    const bool areSums = std::all_of(pending.begin(), pending.end(),
                                     [&](std::size_t axis) { return placements_[axis] == sum; });
    std::vector<std::string> terms;
    for (const auto axis : pending) {
      terms.push_back(areSums ? quoted(axis) : quoted(axis) + ": " + termText(placements_[axis]));
    }
    return terms;
  }

  const Placements& placements_;
  const DeviceMesh& mesh_;
  std::vector<std::vector<std::string>> entries_;
};

}  // namespace

std::string_view notationName(Notation notation) {
  const auto* found = std::find_if(kNames.begin(), kNames.end(),
                                   [&](const auto& each) { return each.first == notation; });
  return found->second;
}

Result<Notation> parseNotation(std::string_view name) {
  const auto* found = std::find_if(kNames.begin(), kNames.end(),
                                   [&](const auto& each) { return each.second == name; });
  if (found == kNames.end()) {
    return fail(fmt::format("notation: got {}, expected dtensor, axes or jax", name));
  }
  return found->first;
}

std::string placementsText(const Placements& placements, const DeviceMesh& mesh,
                           Dimensions dimensions, Notation notation) {
  const bool fits = placements.size() == static_cast<std::size_t>(mesh.ndim());
  if (notation == Notation::DTensor || !fits) return listText(placements);
  return notation == Notation::NamedAxes ? namedAxesText(placements, mesh)
                                         : PartitionSpecText(placements, mesh, dimensions).text();
}

PlacementWords::PlacementWords(const Journal& journal, Notation notation) : notation_(notation) {
  if (notation != Notation::DTensor) mesh_ = recordedMesh(journal);
}

PlacementWords::PlacementWords(const Journal& journal, TensorId tensor, Notation notation)
    : notation_(notation) {
  if (notation == Notation::DTensor) return;
  mesh_ = recordedMesh(journal);
  if (tensor == 0 || tensor > journal.tensors()) return;
  const TensorRecord record = journal.tensor(tensor);
  if (record.mesh) mesh_ = *record.mesh;
  dimensions_ = record.shape.size();
}

PlacementWords PlacementWords::ofPlan(const Journal& journal, const Event& plan,
                                      Notation notation) {
  if (plan.parent == 0) return {journal, notation};
  const Event around = journal.at(plan.parent);
  return around.kind == EventKind::Redistribute ? PlacementWords(journal, around.subject, notation)
                                                : PlacementWords(journal, notation);
}

std::string PlacementWords::of(const TensorRecord& tensor) const {
  const DeviceMesh* mesh = tensor.mesh ? tensor.mesh.get() : mesh_ ? &*mesh_ : nullptr;
  return mesh != nullptr ? placementsText(tensor.placements, *mesh, tensor.shape.size(), notation_)
                         : listText(tensor.placements);
}

std::optional<std::string> PlacementWords::rewritten(const Placements& placements,
                                                     Dimensions dimensions) const {
  const bool fits = mesh_ && placements.size() == static_cast<std::size_t>(mesh_->ndim());
  if (!fits) return std::nullopt;
  return placementsText(placements, *mesh_, dimensions, notation_);
}

std::string PlacementWords::of(const RecordedPlacements& recorded) const {
  return rewritten(recorded.placements, dimensions_).value_or(shortText(recorded));
}

std::string PlacementWords::listed(const RecordedPlacements& recorded) const {
  return rewritten(recorded.placements, dimensions_).value_or(listText(recorded));
}

std::string PlacementWords::of(const Route& route) const {
  std::vector<std::string> texts;
  for (const auto& placements : route) texts.push_back(of(RecordedPlacements(placements)));
  return fmt::format("{}", fmt::join(texts, " -> "));
}

std::string PlacementWords::route(const Journal& journal, const Event& event) const {
  return event.route == 0 ? std::string(journal.name(event)) : of(journal.route(event.route));
}

std::string PlacementWords::placed(DType dtype, const Shape& shape,
                                   const Placements& placements) const {
  const auto tensor = std::string(dtypeShortName(dtype)) + toText(shape);
  const auto words = rewritten(placements, shape.size());
  if (!words) return tensor + toText(placements);
  return notation_ == Notation::NamedAxes ? tensor + "(" + *words + ")" : tensor + " " + *words;
}

std::string PlacementWords::inKey(const LookupValue& value) const {
  struct Words {
    const PlacementWords& words;
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(const Placements& placements) const {
      return words.rewritten(placements, words.dimensions_).value_or(toText(placements));
    }
    std::string operator()(const LookupTensor& tensor) const {
      return words.placed(tensor.dtype, tensor.shape, tensor.placements);
    }
  };
  std::string text;
  for (const auto& part : value.parts()) text += std::visit(Words{*this}, part);
  return text;
}

std::string PlacementWords::along(const std::vector<int>& meshDims,
                                  const RecordedPlacements& recorded) const {
  const bool fits = mesh_ && !meshDims.empty() && recorded.placements.size() == meshDims.size();
  if (!fits) return listText(recorded);
  std::vector<int> shape;
  std::vector<std::string> names;
  for (const int dim : meshDims) {
    if (dim >= mesh_->ndim()) return listText(recorded);
    shape.push_back(mesh_->size(dim));
    names.push_back(mesh_->names()[static_cast<std::size_t>(dim)]);
  }
  const auto part = DeviceMesh::make(shape, names);
  return part ? placementsText(recorded.placements, *part, dimensions_, notation_)
              : listText(recorded);
}

}  // namespace shardlens::view
