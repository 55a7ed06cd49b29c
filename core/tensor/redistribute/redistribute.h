#pragma once

#include "core/model/dtype.h"
#include "core/model/placement.h"
#include "core/tensor/masking/mask_hold.h"
#include "core/trace/journal/recorder.h"

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>

namespace shardlens {

// In which types a redistribution moves: the values on the way there, the gradient on its way back.
// The gradient comes back in the tensor's own.
struct RedistributeTypes {
  std::optional<DType> forward;
  std::optional<DType> backward;
};

// The same tensor under other placements; differentiable, as often as one likes. Refuses what has
// no meaning. The tensor it reads is left as it is; where nothing has to change, the result shares
// its memory. On GPUs, while nobody records, what is sent last may still be under way: whoever
// looks at the result, and every operator in place, has it arrive. Who holds a part of the tensor
// that is read, and writes on it past all operators, looks at the result first.
at::Tensor redistribute(const at::Tensor& tensor, const Placements& target,
                        RedistributeTypes types = {});

// The same below autograd, with its cause for the recording: an operator's need (Implicit) or the
// program's wish (Explicit).
at::Tensor redistributeBelowAutograd(const at::Tensor& tensor, const Placements& target,
                                     Verdict cause);

// Ids as ranks look them up that mask others' rows, and the hold on the masks for the result.
struct MaskedIds {
  at::Tensor ids;
  std::shared_ptr<MaskHold> hold;
};

// The same of ids to placements that mask them: ids that were masked before are masked anew as they
// were, and terms are reduced first. `buffer`: that of the masks, where a strategy remembers it.
MaskedIds redistributeIds(const at::Tensor& ids, const Placements& target, Verdict cause,
                          const MaskRecordPtr& buffer = nullptr);

// Terms, and lookups that are still pending, name no rows of a table: as ids they have to be
// reduced. Ids that were masked for a table are ids.
bool hasTermsOfIds(const at::Tensor& ids);
at::Tensor reducedIds(const at::Tensor& ids);

}  // namespace shardlens
