#pragma once

#include "core/ops/schema.h"
#include "core/plan/row_moves.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/runtime.h"

#include <ATen/core/Tensor.h>

#include <string>

namespace shardlens {

// Record the engine's decisions. Without sinks they record nothing and cost a test of a pointer.

// Returns the Redistribute event for a Span; an empty event without sinks.
Event redistributeEvent(Runtime& runtime, const DTensorImpl& source, const Placements& target,
                        Verdict cause);
// Opens the Operator event of a call. Inputs that are plain tensors are left out.
Span operatorSpan(Runtime& runtime, const std::string& name, const std::vector<at::Tensor>& inputs);

// Runs `call` inside an Operator event. Reports an exception to the recorder before rethrowing it.
template <class Call>
auto inOperator(Runtime& runtime, const std::string& name, const std::vector<at::Tensor>& inputs,
                const Call& call) {
  const Span span = operatorSpan(runtime, name, inputs);
  try {
    return call();
  } catch (...) {
    runtime.recorder().failed(span.id());
    throw;
  }
}

// Records a plan; if a sink requests reasons, with its steps, costs and alternatives.
void notePlan(Runtime& runtime, const Spec& current, const Plan& plan, PartialKind partialKind);
// Records the candidates of a call. The first one is the chosen strategy; must not be empty.
void noteCandidates(Runtime& runtime, const std::vector<OpStrategy>& candidates);

// Names the tensor, also for messages, and records it as a result with its values. Returns the
// event, or 0 without sinks.
EventId recordResult(const at::Tensor& tensor, const std::string& name);

}  // namespace shardlens
