#include "core/view/names.h"

#include "core/trace/journal/tensor_ranks.h"
#include "core/view/units.h"

namespace shardlens::view {
std::string joined(const std::vector<std::string>& texts) {
  std::string text;
  for (const auto& one : texts) text += (text.empty() ? "" : ", ") + one;
  return text;
}

std::string shortened(std::string_view placements) {
  constexpr std::string_view kMask = "MaskP(", kArrow = "->";
  std::string text;
  while (!placements.empty()) {
    if (const auto end = placements.find(')');
        placements.starts_with(kMask) && end != std::string_view::npos) {
      text += "MaskP";
      placements.remove_prefix(end + 1);
    } else if (placements.starts_with(kArrow)) {
      text += "→";
      placements.remove_prefix(kArrow.size());
    } else {
      text += placements.front();
      placements.remove_prefix(1);
    }
  }
  return text;
}

std::string placementsText(const Placements& placements) {
  std::vector<std::string> texts;
  for (const auto& placement : placements) texts.push_back(toText(placement));
  return joined(texts);
}

std::string tensorText(const TensorRecord& tensor) {
  return std::string(dtypeShortName(tensor.dtype)) + toText(tensor.shape);
}

std::string placedText(const TensorRecord& tensor) {
  const auto placements = placementsText(tensor.placements);
  return tensor.mesh ? placements + " on " + ranksLabel(tensor.mesh->ranks()) : placements;
}

std::string tensorName(const Journal& journal, TensorId id) {
  if (id == 0 || id > journal.tensors().size()) return "?";
  const std::string& name = journal.tensor(id).name;
  return name.empty() ? "unnamed" : name;
}

std::string axesText(const DeviceMesh& mesh) {
  std::string text;
  for (int dim = 0; dim < mesh.ndim(); ++dim) {
    text += (dim == 0 ? "" : " x ") + mesh.names()[static_cast<std::size_t>(dim)] + ":" +
            std::to_string(mesh.size(dim));
  }
  return text;
}

std::string collectiveText(const Journal& journal, const Event& event) {
  const auto axis = axisOf(journal, event);
  const std::string name(journal.name(event));
  return axis.empty() ? name : name + " over " + axis;
}

}  // namespace shardlens::view
