#include "core/trace/recorder/program_recorder.h"

#include "core/model/step_number.h"
#include "core/trace/recorder/event_makers.h"

#include <chrono>
#include <utility>

namespace shardlens {

ProgramRecorder::~ProgramRecorder() {
  if (recorder_ != nullptr) recorder_->onUnscopedEvent({});
}

void ProgramRecorder::attach(Recorder& recorder) {
  recorder_ = &recorder;
  recorder_->onUnscopedEvent([this] { beforeTopLevelEvent(); });
}

void ProgramRecorder::stop() {
  if (recorder_ == nullptr) return;
  endStep();
  recorder_->onUnscopedEvent({});
  recorder_ = nullptr;
}

void ProgramRecorder::nextStep(std::string name) {
  if (span_ != 0 && !ended_) ended_ = recorder_->now();
  next_ = std::move(name);
}

bool ProgramRecorder::cancelStep() {
  ended_.reset();
  return !std::exchange(next_, {}).empty();
}

void ProgramRecorder::beginStep() {
  if (recorder_ != nullptr && !next_.empty()) recorder_->callUnscopedHook();
}

bool ProgramRecorder::records(int step) const {
  return !program_.operators || program_.operators->has(stepNumber(step));
}

EventId ProgramRecorder::error(std::string_view message) {
  if (recorder_ == nullptr) return 0;
  std::string announced = span_ == 0 ? std::string() : std::exchange(next_, {});
  const EventId id = recorder_->note(makeError(*recorder_, message));
  if (!announced.empty()) next_ = std::move(announced);
  return id;
}

void ProgramRecorder::beforeTopLevelEvent() {
  const Autograd autograd = program_.autograd();
  auto site = forward_.of(program_.site(), autograd.gradient, autograd.next);
  if (recorder_ == nullptr) return;  // a callback has called stop()
  if (site != site_) {
    recorder_->setSite(*site);
    line_ = site->file == program_.file ? site->line : 0;
    site_ = std::move(site);
  }
  const std::string begins = std::exchange(next_, {});
  if (!begins.empty()) {
    endStep();
    ++step_;
  }
  recorder_->setStep(step_, line_);
  if (begins.empty()) return;
  began_ = recorder_->now();
  Event step = makeStep(*recorder_, begins);
  if (!records(step_)) {
    step.verdict = Verdict::Off;
    hasGap_ = true;
  }
  span_ = recorder_->begin(step);
}

void ProgramRecorder::endStep() {
  if (span_ != 0) {
    const std::int64_t end = ended_ ? *ended_ : recorder_->now();
    recorder_->end(std::exchange(span_, 0), std::chrono::nanoseconds(end - began_));
  }
  ended_.reset();
}

}  // namespace shardlens
