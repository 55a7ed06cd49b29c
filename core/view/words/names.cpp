#include "core/view/words/names.h"

#include "core/base/text.h"
#include "core/model/byte_count.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/records/collective_record.h"
#include "core/view/words/units.h"

#include <fmt/core.h>

namespace shardlens::view {
namespace {

std::string withRanks(const std::string& placements, const TensorRecord& tensor) {
  return tensor.mesh ? placements + " on " + ranksLabel(tensor.mesh->ranks()) : placements;
}

}  // namespace

std::string truncated(std::string_view text) {
  constexpr std::size_t kLongest = 20000;
  if (text.size() <= kLongest) return std::string(text);
  return std::string(beginning(text, kLongest)) + "…";
}

std::string shortened(std::string_view placements) {
  constexpr std::string_view kMask = "MaskP(", kArrow = "->";
  std::string text;
  bool isClosed = true;  // false once no ")" follows, to search only once
  for (std::size_t at = 0; at < placements.size();) {
    const auto rest = placements.substr(at);
    if (isClosed && rest.starts_with(kMask)) {
      const auto end = rest.find(')');
      isClosed = end != std::string_view::npos;
      if (isClosed) {
        text += "MaskP";
        at += end + 1;
        continue;
      }
    }
    const bool isArrow = rest.starts_with(kArrow);
    text += isArrow ? "→" : rest.substr(0, 1);
    at += isArrow ? kArrow.size() : 1;
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

std::string placedText(const Journal& journal, const TensorRecord& tensor, Notation notation) {
  return withRanks(PlacementWords(journal, notation).of(tensor), tensor);
}

std::string placedAsRecorded(const TensorRecord& tensor) {
  return withRanks(placementsText(tensor.placements), tensor);
}

std::string tensorName(const Journal& journal, TensorId id) {
  if (id == 0 || id > journal.tensors()) return "?";
  const std::string& name = journal.tensor(id).name;
  return name.empty() ? "unnamed" : name;
}

std::string axesText(const DeviceMesh& mesh) {
  std::string text;
  for (int dim = 0; dim < mesh.ndim(); ++dim) {
    text += fmt::format("{}{}:{}", dim == 0 ? "" : " x ",
                        mesh.names()[static_cast<std::size_t>(dim)], mesh.size(dim));
  }
  return text;
}

std::string sentBytesText(const Journal& journal, const Event& collective) {
  if (collective.bytes == 0 && isImported(journal)) return "bytes unknown";
  if (const auto message = readMessage(journal.name(collective)); message && !message->isSend) {
    return {};
  }
  return byteCountText(collective.bytes) + " sent";
}

std::string collectiveText(const Journal& journal, const Event& event) {
  const auto axis = axisOf(journal, event);
  const std::string name(journal.name(event));
  return axis.empty() ? name : name + " over " + axis;
}

}  // namespace shardlens::view
