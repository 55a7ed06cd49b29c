#pragma once

#include "core/tensor/composed/loss_rows.h"

namespace shardlens {

// Refuses, before anything is sent, what libtorch would refuse for the whole tensors, in its words.
void refuseBadLoss(const LossTensors& tensors, const LossOptions& options);

}  // namespace shardlens
