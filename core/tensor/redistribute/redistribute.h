#pragma once

#include "core/model/dtype.h"
#include "core/model/placement.h"
#include "core/tensor/masking/mask_hold.h"
#include "core/trace/recorder/recorder.h"

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>

namespace shardlens {

// The dtypes that are sent: of the values in forward, of the gradient in backward. Unset: the
// tensor's dtype. The gradient of the tensor always has the tensor's dtype.
struct RedistributeTypes {
  std::optional<DType> forward;
  std::optional<DType> backward;
};

// Returns the tensor under other placements. Differentiable, also twice. Throws Refusal if the
// placements are invalid for it or cannot be reached.
// The source keeps its values. A pending result is masked in place, and its mask hold is released.
// If nothing is sent, an Implicit result may share the source's memory; an Explicit one is a copy,
// unless the placements are equal already.
// On GPUs of one process, unless a sink requests times, the last collective may still run on
// return. Reading the result's locals waits for it, and so does every operator that writes. Code
// that writes on the source's locals without an operator must read the result's locals first.
// `cause` is for the recording: required by an operator (Implicit) or requested by the program
// (Explicit).
at::Tensor redistribute(const at::Tensor& tensor, const Placements& target,
                        RedistributeTypes types = {}, Verdict cause = Verdict::Explicit);

// As redistribute(), without recording a gradient.
at::Tensor redistributeBelowAutograd(const at::Tensor& tensor, const Placements& target,
                                     Verdict cause);

// Ids masked on each rank that does not own their row, and the hold for the lookup's result.
struct MaskedIds {
  at::Tensor ids;
  std::shared_ptr<MaskHold> hold;
};

// Redistributes ids to placements that mask them. Masked ids are masked again from their original
// values; partial ids are reduced first. `buffer` is the mask buffer of the strategy cache's entry,
// or null. Throws Refusal in all processes if an id is out of range.
MaskedIds redistributeIds(const at::Tensor& ids, const Placements& target, Verdict cause,
                          const MaskRecordPtr& buffer = nullptr);

// Returns true if ids are partial values, such as results of pending lookups, which must be reduced
// before they name rows. Returns false for masked ids and plain tensors.
bool hasPartialIds(const at::Tensor& ids);
// Returns the ids with partial placements reduced to Replicate; unchanged if there are none.
at::Tensor reducedIds(const at::Tensor& ids);

}  // namespace shardlens
