#pragma once

#include "core/model/dtype.h"
#include "core/model/placement.h"
#include "core/tensor/masking/mask_hold.h"
#include "core/trace/journal/recorder.h"

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>

namespace shardlens {

// The dtypes that a redistribution sends: of the values forward, of the gradient backward. The
// gradient that the tensor gets has the tensor's dtype.
struct RedistributeTypes {
  std::optional<DType> forward;
  std::optional<DType> backward;
};

// The same tensor under other placements; differentiable, also twice. Refuses placements that have
// no meaning for it. The source is not changed; where nothing has to be sent, the result shares its
// memory. On GPUs, while nobody records, the last collective may still run when this returns:
// reading the result's locals waits for it, and so does every operator in place. Code that writes
// on a local tensor of the source without an operator has to read the result's locals first.
// Its cause is for the recording: an operator's need (Implicit) or the program's wish (Explicit).
at::Tensor redistribute(const at::Tensor& tensor, const Placements& target,
                        RedistributeTypes types = {}, Verdict cause = Verdict::Explicit);

// The same below autograd.
at::Tensor redistributeBelowAutograd(const at::Tensor& tensor, const Placements& target,
                                     Verdict cause);

// Ids that are masked on each rank where another rank owns their row, and the hold on those masks
// that the lookup's result takes over.
struct MaskedIds {
  at::Tensor ids;
  std::shared_ptr<MaskHold> hold;
};

// Redistributes ids to placements that mask them. Ids that are masked already are masked anew from
// their original values; partial ids are reduced first. `buffer` is the mask buffer that a strategy
// remembers, or null.
MaskedIds redistributeIds(const at::Tensor& ids, const Placements& target, Verdict cause,
                          const MaskRecordPtr& buffer = nullptr);

// Whether ids are partial, as results of pending lookups are too: such values name no rows of a
// table until they are reduced. Ids that were masked for a table are ids.
bool hasTermsOfIds(const at::Tensor& ids);
at::Tensor reducedIds(const at::Tensor& ids);

}  // namespace shardlens
