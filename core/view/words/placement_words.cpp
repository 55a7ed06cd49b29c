#include "core/view/words/placement_words.h"

#include "core/base/text.h"
#include "core/model/shard_order.h"
#include "core/trace/journal/tensor_ranks.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <atomic>

namespace shardlens::view {
namespace {

std::atomic<Notation> current = Notation::DTensor;

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

bool isWordLetter(char c) {
  const bool isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return isLetter || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

// Parses a placement at the beginning of `text`, as the recorder writes it. Returns it and its
// length.
std::optional<std::pair<Placement, std::size_t>> firstPlacement(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && isWordLetter(text[end])) ++end;
  if (end == 0 || end > 8) return std::nullopt;
  if (end < text.size() && text[end] == '(') {
    constexpr std::size_t kLongest = 256;
    end = text.substr(0, kLongest).find(')', end);  // placements contain no nested parentheses
    if (end == std::string_view::npos) return std::nullopt;
    ++end;
  }
  const auto token = text.substr(0, end);
  const auto placement = parsePlacement(token);
  if (!placement || toText(*placement) != token) return std::nullopt;
  return std::pair(*placement, end);
}

// Parses a comma-separated list at the beginning of `text`.
std::pair<Placements, std::size_t> firstPlacements(std::string_view text) {
  Placements placements;
  std::size_t end = 0;
  for (std::size_t at = 0; const auto next = firstPlacement(text.substr(at));) {
    placements.push_back(next->first);
    end = at + next->second;
    if (!text.substr(end).starts_with(", ")) break;
    at = end + 2;
  }
  return {placements, end};
}

// Parses a list in parentheses, or a single placement without.
std::pair<Placements, std::size_t> firstList(std::string_view text) {
  if (text.starts_with('(')) {
    auto [placements, end] = firstPlacements(text.substr(1));
    const bool isClosed = !placements.empty() && text.substr(end + 1).starts_with(')');
    return isClosed ? std::pair(placements, end + 2) : std::pair(Placements{}, std::size_t{0});
  }
  if (const auto one = firstPlacement(text)) return {{one->first}, one->second};
  return {};
}

// Returns the number of dimensions of a shape at the end of `text`: "f32[10, 3]" or "f32[10, 3] ".
Dimensions dimensionsBefore(std::string_view text) {
  while (text.ends_with(' ')) text.remove_suffix(1);
  const auto begin = text.rfind('[');
  if (!text.ends_with(']') || begin == std::string_view::npos) return std::nullopt;
  const auto sizes = text.substr(begin + 1, text.size() - begin - 2);
  return sizes.empty() ? 0
                       : 1 + static_cast<std::size_t>(std::count(sizes.begin(), sizes.end(), ','));
}

// Splits a name like "dp_tp" into mesh dimensions. Empty if it is not made of axis names in mesh
// order.
std::vector<std::size_t> axesIn(std::string_view name, const DeviceMesh& mesh) {
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < mesh.names().size() && !name.empty(); ++axis) {
    const std::string& each = mesh.names()[axis];
    const auto rest = name.substr(std::min(each.size(), name.size()));
    if (!name.starts_with(each) || !(rest.empty() || rest.starts_with('_'))) continue;
    axes.push_back(axis);
    name = rest.empty() ? rest : rest.substr(1);
  }
  return name.empty() ? axes : std::vector<std::size_t>{};
}

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

Notation notation() { return current; }

void setNotation(Notation notation) { current = notation; }

std::string placementsText(const Placements& placements, const DeviceMesh& mesh,
                           Dimensions dimensions, Notation notation) {
  const bool fits = placements.size() == static_cast<std::size_t>(mesh.ndim());
  if (notation == Notation::DTensor || !fits) return listText(placements);
  return notation == Notation::NamedAxes ? namedAxesText(placements, mesh)
                                         : PartitionSpecText(placements, mesh, dimensions).text();
}

PlacementWords::PlacementWords(const Journal& journal) {
  if (notation() != Notation::DTensor) mesh_ = recordedMesh(journal);
}

PlacementWords::PlacementWords(const Journal& journal, TensorId tensor) {
  if (notation() == Notation::DTensor) return;
  mesh_ = recordedMesh(journal);
  if (tensor == 0 || tensor > journal.tensors()) return;
  const TensorRecord record = journal.tensor(tensor);
  if (record.mesh) mesh_ = *record.mesh;
  dimensions_ = record.shape.size();
}

std::string PlacementWords::of(const TensorRecord& tensor) const {
  const DeviceMesh* mesh = tensor.mesh ? tensor.mesh.get() : mesh_ ? &*mesh_ : nullptr;
  return mesh != nullptr ? placementsText(tensor.placements, *mesh, tensor.shape.size(), notation())
                         : listText(tensor.placements);
}

std::string PlacementWords::in(std::string_view recorded) const {
  if (!mesh_) return std::string(recorded);
  std::string text;
  for (std::size_t at = 0; at < recorded.size();) {
    const bool mayBegin = at == 0 || !isWordLetter(recorded[at - 1]);
    const auto [placements, size] =
        mayBegin ? firstList(recorded.substr(at)) : std::pair(Placements{}, std::size_t{0});
    if (placements.size() != static_cast<std::size_t>(mesh_->ndim())) {
      const std::size_t kept = std::max<std::size_t>(size, 1);
      text += recorded.substr(at, kept);
      at += kept;
      continue;
    }
    const auto before = dimensionsBefore(recorded.substr(0, at));
    const auto words =
        placementsText(placements, *mesh_, before ? before : dimensions_, notation());
    const bool isGlued = text.ends_with(']');
    text += !isGlued ? words : notation() == Notation::NamedAxes ? "(" + words + ")" : " " + words;
    at += size;
  }
  return text;
}

std::string PlacementWords::along(std::string_view axis, std::string_view recorded) const {
  const auto axes = mesh_ ? axesIn(axis, *mesh_) : std::vector<std::size_t>{};
  const auto [placements, size] = firstPlacements(recorded);
  if (axes.empty() || placements.size() != axes.size() || size != recorded.size()) {
    return std::string(recorded);
  }
  std::vector<int> shape;
  std::vector<std::string> names;
  for (const auto each : axes) {
    shape.push_back(mesh_->size(static_cast<int>(each)));
    names.push_back(mesh_->names()[each]);
  }
  const auto part = DeviceMesh::make(shape, names);
  return part ? placementsText(placements, *part, dimensions_, notation()) : std::string(recorded);
}

}  // namespace shardlens::view
