#pragma once

#include "core/model/spec.h"
#include "core/plan/transform_info.h"

namespace shardlens {

// What the terms of a masked partial are.
enum class TermKind : std::uint8_t {
  Any,
  OwnedRows,  // a fused lookup's: each row is one rank's, and zeros on the others of its group
};

// The plan for owned rows: where its first step reduces the masked partial and nothing else is
// sent, that step moves rows instead of adding terms. Of several collectives each stays of its
// kind, so that they are the same whether rows are owned or not.
//
//   (MaskP) -> (R) is all_gather_rows, which receives half of what all_reduce does.
Plan movingRows(const Spec& current, Plan plan);

// Whether a lookup's result is large enough to be kept as owned rows: packing a small one takes
// longer than adding its terms. It follows from what all ranks know, so that all do the same.
bool isWorthMovingRows(const Spec& result);

}  // namespace shardlens
