#pragma once

#include "core/model/mesh.h"
#include "core/trace/journal/journal.h"

#include <string>
#include <string_view>
#include <vector>

namespace shardlens::view {

// How tensors, placements and meshes are named.

// The text, or so much of the beginning of a very long one as a row can show.
std::string cut(std::string_view text);
// "MaskP(sum, [10, 3], 0) -> R" as a narrow place can hold it: "MaskP → R".
std::string shortened(std::string_view placements);
std::string placementsText(const Placements& placements);  // "R, S(0)", DTensor's
std::string tensorText(const TensorRecord& tensor);        // "f32[6, 3]"
// The placements, in the notation of the program, and where the tensor lies if not on the
// recording's mesh: "S(0) on ranks 0, 2".
std::string placedText(const Journal& journal, const TensorRecord& tensor);
// Likewise in DTensor's notation, in which recordings of any mesh can be compared.
std::string placedAsRecorded(const TensorRecord& tensor);
std::string tensorName(const Journal& journal,
                       TensorId id);           // "unnamed"; "?" where it is not there
std::string axesText(const DeviceMesh& mesh);  // "dp:2 x tp:4"
std::string putInText(const Journal& journal, const Event& collective);  // "16.0 KiB put in"
std::string collectiveText(const Journal& journal, const Event& event);  // "all_gather over dp_tp"

}  // namespace shardlens::view
