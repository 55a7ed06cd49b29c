#include "core/tensor/mask_ledger.h"

#include "core/tensor/recording.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace shardlens {

PendingMask::PendingMask(std::shared_ptr<LedgerEntry> entry, std::shared_ptr<Recorder> recorder)
    : entry_(std::move(entry)), recorder_(std::move(recorder)) {}

PendingMask::~PendingMask() {
  // Nothing may leave a destructor; what fails here is the recording's, which close() tells of.
  try {
    release();
  } catch (...) {
  }
}

std::shared_ptr<PendingMask> PendingMask::again(const std::string& holder) const {
  entry_->buffer.materialize(Buffers(entry_->buffer.data()));
  auto pending = std::make_shared<PendingMask>(entry_, recorder_);
  pending->addHolder(holder);
  pending->note(EventKind::MaskMaterialized, entry_->record);
  return pending;
}

void PendingMask::apply(const Buffers& locals, TensorId tensor) {
  if (applied_) return;
  entry_->buffer.apply(locals);
  applied_ = true;
  const EventId event = note(EventKind::MaskApplied, tensor);
  if (event != 0 && tensor != 0) recordValues(*recorder_, event, tensor, locals, entry_->ranks);
}

void PendingMask::release() {
  if (released_) return;
  released_ = true;
  entry_->buffer.release();
  for (const auto& name : names_) {
    const auto it = std::find(entry_->holders.begin(), entry_->holders.end(), name);
    if (it != entry_->holders.end()) entry_->holders.erase(it);
  }
  note(EventKind::MaskReleased, entry_->record);
}

void PendingMask::addHolder(const std::string& name) {
  if (released_ || std::count(names_.begin(), names_.end(), name) > 0) return;
  names_.push_back(name);
  entry_->holders.push_back(name);
}

EventId PendingMask::note(EventKind kind, std::uint32_t related) const {
  if (!recorder_->on()) return 0;
  nlohmann::ordered_json detail;
  detail["holders"] = entry_->holders;
  detail["offset_shape"] = entry_->placement.offsetShape;
  detail["offset_dim"] = entry_->placement.offsetDim;
  Event event;
  event.kind = kind;
  event.name = recorder_->intern(toText(Placement(entry_->placement)));
  event.detail = recorder_->intern(detail.dump());
  event.subject = entry_->id;
  event.related = related;
  event.count = entry_->buffer.refcount();
  return recorder_->note(event);
}

std::shared_ptr<PendingMask> MaskLedger::hold(const MaskPartial& placement, const Buffers& masks,
                                              const std::vector<int>& ranks,
                                              const std::string& holder) {
  auto entry = find(placement, masks);
  const bool isNew = entry == nullptr;
  if (isNew) {
    entry = std::make_shared<LedgerEntry>();
    entry->placement = placement;
    entry->ranks = ranks;
    live_.push_back(entry);
    if (recorder_->on()) {
      entry->id = recorder_->nextBuffer();
      entry->record = addMaskRecord(*recorder_, "mask #" + std::to_string(entry->id), masks);
    }
  }
  entry->buffer.materialize(masks);
  auto pending = std::make_shared<PendingMask>(entry, recorder_);
  pending->addHolder(holder);
  const EventId event = pending->note(EventKind::MaskMaterialized, entry->record);
  if (isNew && event != 0) recordValues(*recorder_, event, entry->record, masks, ranks);
  return pending;
}

std::shared_ptr<LedgerEntry> MaskLedger::find(const MaskPartial& placement, const Buffers& masks) {
  std::erase_if(live_, [](const auto& weak) { return weak.expired(); });
  for (const auto& weak : live_) {
    auto entry = weak.lock();
    if (entry && entry->placement == placement && entry->buffer.refcount() > 0 &&
        entry->buffer.holds(masks)) {
      return entry;
    }
  }
  return nullptr;
}

}  // namespace shardlens
