#include "core/tensor/events/compute_span.h"

#include "core/trace/recorder/event_makers.h"

#include <exception>

namespace shardlens {
namespace {

Event computeEvent(Recorder& recorder, const std::string& name) {
  return recorder.on() ? makeCompute(recorder, "local " + name) : Event();
}

}  // namespace

ComputeSpan::ComputeSpan(Runtime& runtime, const std::string& name)
    : span_(runtime.recorder(), computeEvent(runtime.recorder(), name)) {
  if (!runtime.recorder().recordsTimes()) return;
  std::vector<c10::Device> devices;
  for (const int rank : runtime.comm().hosted()) devices.push_back(runtime.comm().device(rank));
  timer_.emplace(devices);
}

// Ignores errors of the wait, because a failed GPU reports its error again to the next call.
ComputeSpan::~ComputeSpan() {
  if (!timer_) return;
  try {
    span_.took(timer_->wait());
  } catch (const std::exception&) {
  }
}

}  // namespace shardlens
