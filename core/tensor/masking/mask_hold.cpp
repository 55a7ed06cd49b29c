#include "core/tensor/masking/mask_hold.h"

#include "core/base/refusal.h"
#include "core/tensor/values/recording.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace shardlens {

MaskHold::MaskHold(MaskRecordPtr buffer, std::shared_ptr<Recorder> recorder)
    : buffer_(std::move(buffer)), recorder_(std::move(recorder)), event_(buffer_->newestHold) {}

MaskHold::~MaskHold() {
  if (released_) return;
  try {
    releaseBuffer();
  } catch (...) {
    recorder_->keepException();
  }
}

void MaskHold::apply(const Buffers& locals, TensorId tensor) {
  if (applied_) return;
  applyBuffer(locals, tensor);
  applied_ = true;
}

void MaskHold::release() {
  if (!released_) releaseBuffer();
}

Buffers MaskHold::masked(const Buffers& locals) const {
  return applied_ ? locals : maskedCopies(locals);
}

std::shared_ptr<MaskHold> MaskHold::again(const std::string& holder) const {
  buffer_->buffer.retain();
  auto hold = another();
  hold->noteMaterialized(holder);
  return hold;
}

void MaskHold::addHolder(const std::string& name) {
  if (released_ || std::count(names_.begin(), names_.end(), name) > 0) return;
  names_.push_back(name);
  buffer_->holders.push_back(name);
}

EventId MaskHold::noteMaterialized(const std::string& holder) {
  addHolder(holder);
  if (!isRecorded()) buffer_->record = 0;
  buffer_->recordedIn = recorder_->recording();
  event_ = note({.kind = EventKind::MaskMaterialized, .related = record(), .holder = holder});
  buffer_->newestHold = event_;
  return event_;
}

EventId MaskHold::note(const MaskEvent& event) const {
  if (!recorder_->on()) return 0;
  return recorder_->note(makeMaskEvent(*recorder_, buffer_->placement, buffer_->id,
                                       buffer_->buffer.refcount(), event));
}

std::shared_ptr<MaskHold> MaskHold::another() const {
  return std::make_shared<MaskHold>(buffer_, recorder_);
}

Buffers MaskHold::maskedCopies(const Buffers& locals) const {
  Buffers copies;
  for (const auto& local : locals) copies.push_back(local.clone());
  buffer_->buffer.apply(copies);
  return copies;
}

void MaskHold::applyBuffer(const Buffers& locals, TensorId tensor) const {
  try {
    buffer_->buffer.apply(locals);
  } catch (const Refusal& refusal) {
    const auto reader = names_.empty() ? "a result" : names_.back();
    throw Refusal(refusal.what() + (": got refcount 0 for " + reader) +
                  ", expected the mask of its lookup");
  }
  const EventId event = note({.kind = EventKind::MaskApplied, .related = tensor});
  if (event != 0 && tensor != 0) recordValues(*recorder_, event, tensor, locals, buffer_->ranks);
}

void MaskHold::releaseBuffer() {
  released_ = true;
  buffer_->buffer.release();
  for (const auto& name : names_) {
    const auto it = std::find(buffer_->holders.begin(), buffer_->holders.end(), name);
    if (it != buffer_->holders.end()) buffer_->holders.erase(it);
  }
  note({.kind = EventKind::MaskReleased, .related = isRecorded() ? event_ : 0});
}

}  // namespace shardlens
