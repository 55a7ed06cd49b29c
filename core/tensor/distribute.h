#pragma once

#include "core/comm/communicator.h"
#include "core/model/placement.h"

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>

namespace shardlens {

class Runtime;

// Each rank takes its part of a tensor that all have; nothing is sent. Parts of one without values, on
// the device meta, have none either.
at::Tensor distribute(const std::shared_ptr<Runtime>& runtime, const at::Tensor& whole,
                      Placements placements);

// The same where only one rank has the tensor, and sends each other rank its part: scattered, or
// broadcast where all get the whole. In other processes `whole` says shape and dtype alone.
at::Tensor distributeFrom(const std::shared_ptr<Runtime>& runtime, int source,
                          const at::Tensor& whole, Placements placements);

// Wraps a local tensor for each rank as they are. The whole's shape is derived from them where it
// is not given; refuses locals that fit no such whole.
at::Tensor fromLocals(const std::shared_ptr<Runtime>& runtime, const Buffers& locals,
                      Placements placements, const std::optional<Shape>& shape);

// The same where a process knows the locals of its own ranks alone: one for each, or, where it
// hosts none, one that says how many dimensions there are, and the dtype. Nothing is sent: that the
// others' fit the same whole is for the caller to see to. The whole's strides are derived as its
// shape is; those of a shape that is given are a contiguous tensor's where they are not.
at::Tensor fromHostedLocals(const std::shared_ptr<Runtime>& runtime, Buffers locals,
                            Placements placements, const std::optional<Shape>& shape,
                            const std::optional<Shape>& strides = {});

// What each hosted rank has, on the memory of the tensor; a pending result's masks are applied.
Buffers toLocals(const at::Tensor& tensor);

}  // namespace shardlens
