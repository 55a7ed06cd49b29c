#pragma once

#include "core/model/mesh.h"
#include "core/trace/journal/journal.h"
#include "core/view/words/placement_words.h"

#include <string>
#include <string_view>
#include <vector>

namespace shardlens::view {

// Names of tensors, placements and meshes.

// Returns the text, truncated after 20,000 bytes with "…".
std::string truncated(std::string_view text);
// Shortens placements for narrow columns: "MaskP(sum, [10, 3], 0) -> R" becomes "MaskP → R".
std::string shortened(std::string_view placements);
std::string placementsText(const Placements& placements);  // "R, S(0)", in DTensor's notation
std::string tensorText(const TensorRecord& tensor);        // "f32[6, 3]"
// Returns the placements, and the ranks if the tensor has a separate mesh:
// "S(0) on ranks 0, 2".
std::string placedText(const Journal& journal, const TensorRecord& tensor,
                       Notation notation = Notation::DTensor);
// As placedText(), in DTensor's notation, which is comparable between recordings on different
// meshes.
std::string placedAsRecorded(const TensorRecord& tensor);
std::string tensorName(const Journal& journal,
                       TensorId id);           // "unnamed" without a name; "?" for an invalid id
std::string axesText(const DeviceMesh& mesh);  // "dp:2 x tp:4"
// Returns "16.0 KiB sent"; "" for a recv, whose bytes are those of its send.
std::string sentBytesText(const Journal& journal, const Event& collective);
std::string collectiveText(const Journal& journal, const Event& event);  // "all_gather over dp_tp"

}  // namespace shardlens::view
