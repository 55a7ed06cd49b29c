#pragma once

#include "core/comm/communicator.h"
#include "core/model/placement.h"

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>

namespace shardlens {

class Runtime;

// Returns a sharded tensor with these placements; each hosted rank copies its shard from `whole`,
// which every process has. Sends nothing. A partial placement splits the value into partial values.
// If `whole` is on the meta device, the locals have no data either. Replicas on one device share
// memory until one of them is written. Throws Refusal for a sparse tensor, invalid placements, or a
// partial placement that no whole tensor can be converted to.
at::Tensor distribute(const std::shared_ptr<Runtime>& runtime, const at::Tensor& whole,
                      Placements placements);

// As distribute(), but rank `source` sends each rank its shard: a scatter, or a broadcast if no
// dimension is sharded. Collective: every process calls it. Only the shape and dtype of `whole` are
// read in processes that do not host `source`; it may be a meta tensor there. Sends nothing if the
// mesh has one rank, or if `whole` is a meta tensor in the process that hosts `source` and the
// ranks' device is not meta.
at::Tensor distributeFrom(const std::shared_ptr<Runtime>& runtime, int source,
                          const at::Tensor& whole, Placements placements);

// Wraps one local tensor per rank of the mesh, in mesh order, without copying those that are on the
// rank's device already. Processes pass the same list, and each keeps the locals of its hosted
// ranks. If `shape` is not set, the global shape is derived as if all shards had the size of the
// first. Throws Refusal if the count, a shape, or a dtype does not fit.
at::Tensor fromLocals(const std::shared_ptr<Runtime>& runtime, const Buffers& locals,
                      Placements placements, const std::optional<Shape>& shape);

// As fromLocals(), but takes the locals of the hosted ranks only, in the order of hosted(). A
// process that hosts no rank passes one tensor, which gives the number of dimensions and the dtype.
// Sends nothing; the caller guarantees that the locals of all processes fit the same global shape.
// Without `strides`, a given `shape` gets contiguous strides, and a derived shape gets strides
// derived from the first local.
at::Tensor fromHostedLocals(const std::shared_ptr<Runtime>& runtime, Buffers locals,
                            Placements placements, const std::optional<Shape>& shape,
                            const std::optional<Shape>& strides = {});

// Returns the locals of the hosted ranks, which share memory with the tensor. Applies the mask of a
// pending result first. Waits for a running collective.
Buffers toLocals(const at::Tensor& tensor);

}  // namespace shardlens
