#pragma once

#include "core/ops/schema.h"
#include "core/plan/row_moves.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/runtime.h"

#include <ATen/core/Tensor.h>

#include <string>

namespace shardlens {

// What the engine tells the recording of its decisions. All of it costs nothing but a test while
// nobody records.

Event redistributeEvent(Runtime& runtime, const DTensorImpl& source, const Placements& target,
                        Verdict cause);
// The Operator event of a call on these.
Span operatorSpan(Runtime& runtime, const std::string& name, const std::vector<at::Tensor>& inputs);

// Calls it inside of that event, and tells the recorder of an exception that it ends with.
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

void notePlan(Runtime& runtime, const Spec& current, const Plan& plan, TermKind terms);
// The chosen one first.
void noteCandidates(Runtime& runtime, const std::vector<OpStrategy>& candidates);

// Gives the tensor its name, in messages too, and its values in the recording.
EventId recordResult(const at::Tensor& tensor, const std::string& name);

}  // namespace shardlens
