#include "core/tensor/events/compute_span.h"

#include "core/trace/recorder/event_makers.h"

namespace shardlens {
namespace {

Event computeEvent(Recorder& recorder, const std::string& name) {
  return recorder.on() ? makeCompute(recorder, "local " + name) : Event();
}

}  // namespace

ComputeSpan::ComputeSpan(Runtime& runtime, const std::string& name)
    : span_(runtime.recorder(), runtime.comm(), computeEvent(runtime.recorder(), name)) {}

}  // namespace shardlens
