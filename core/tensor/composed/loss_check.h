#pragma once

#include "core/tensor/composed/loss_rows.h"

namespace shardlens {

// Throws Refusal before anything is sent, in libtorch's words, for arguments that libtorch would
// refuse for whole tensors. Does not check the classes themselves.
void refuseBadLoss(const LossTensors& tensors, const LossOptions& options);

}  // namespace shardlens
