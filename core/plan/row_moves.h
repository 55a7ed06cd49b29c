#pragma once

#include "core/model/spec.h"
#include "core/plan/transform_info.h"

namespace shardlens {

// Facts about the partial values of a MaskPartial tensor.
enum class PartialKind : std::uint8_t {
  Any,
  OwnedRows,  // of a fused lookup: one rank of the group has the row, the others have zeros
};

// Returns the plan for owned rows. If its only collective is a first step that reduces the masked
// partial, that step gathers or exchanges rows instead of adding partial values. A plan with
// several collectives stays unchanged, so that it does not depend on whether rows are owned.
//
//   (MaskP) -> (R) is all_gather_rows, which receives half of what all_reduce does.
Plan movingRows(const Spec& current, Plan plan);

// Returns true if a lookup's result is large enough to be kept as owned rows: at least 16 KiB per
// rank. Packing a smaller one takes longer than adding it. All ranks get the same answer.
bool isWorthMovingRows(const Spec& result);

}  // namespace shardlens
