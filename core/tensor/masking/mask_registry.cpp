#include "core/tensor/masking/mask_registry.h"

#include "core/base/refusal.h"
#include "core/comm/refuse_together.h"
#include "core/tensor/values/recording.h"
#include "core/trace/journal/event_makers.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace shardlens {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "nobody" : text;
}

// The first rank whose mask is not the buffer's: others may well agree.
int firstDiffering(const MaskRecord& entry, const Buffers& masks) {
  std::size_t i = 0;
  while (at::equal(masks[i], entry.buffer.data()[i])) ++i;
  return entry.ranks[i];
}

// Why the buffer does not take these masks beside what it holds; empty where it does.
std::string materialize(MaskRecord& entry, const Buffers& masks, const std::string& holder) {
  try {
    entry.buffer.materialize(masks);
    return {};
  } catch (const Refusal& refusal) {
    const auto held = joined(entry.holders);
    return refusal.what() +
           (entry.emulation == Emulation::Before131264
                ? ": got a mask for " + holder + ", expected none before " + held + " let go"
                : ": got another mask for " + holder + " on rank " +
                      std::to_string(firstDiffering(entry, masks)) + ", expected that of " + held);
  }
}

}  // namespace

MaskRecord::MaskRecord(Emulation rules)
    : emulation(rules),
      buffer(rules == Emulation::Before131264 ? Sharing::None : Sharing::Counted) {}

MaskHold::MaskHold(MaskRecordPtr entry, std::shared_ptr<Recorder> recorder)
    : entry_(std::move(entry)), recorder_(std::move(recorder)) {}

MaskHold::~MaskHold() {
  if (entry_->isRemembered()) return;
  try {
    release();
  } catch (...) {
    recorder_->keepException();
  }
}

std::shared_ptr<MaskHold> MaskHold::again(const std::string& holder) const {
  entry_->buffer.materialize(Buffers(entry_->buffer.data()));
  auto pending = std::make_shared<MaskHold>(entry_, recorder_);
  pending->addHolder(holder);
  pending->note(EventKind::MaskMaterialized, entry_->record);
  return pending;
}

std::shared_ptr<MaskHold> MaskHold::on(const MaskRecordPtr& remembered) {
  if (remembered == nullptr || remembered == entry_) return shared_from_this();
  return std::make_shared<MaskHold>(remembered, recorder_);
}

void MaskHold::apply(const Buffers& locals, TensorId tensor) {
  if (applied_ && !entry_->isRemembered()) return;
  try {
    entry_->buffer.apply(locals);
  } catch (const Refusal& refusal) {
    const auto reader = names_.empty() ? "a result" : names_.back();
    throw Refusal(refusal.what() + (": got refcount 0 for " + reader) +
                  ", expected the mask of its lookup");
  }
  applied_ = true;
  const EventId event = note(EventKind::MaskApplied, tensor);
  if (event != 0 && tensor != 0) recordValues(*recorder_, event, tensor, locals, entry_->ranks);
}

void MaskHold::release() {
  if (released_ && !entry_->isRemembered()) return;
  released_ = true;
  entry_->buffer.release();
  for (const auto& name : names_) {
    const auto it = std::find(entry_->holders.begin(), entry_->holders.end(), name);
    if (it != entry_->holders.end()) entry_->holders.erase(it);
  }
  note(EventKind::MaskReleased, entry_->record);
}

void MaskHold::addHolder(const std::string& name) {
  if (released_ || std::count(names_.begin(), names_.end(), name) > 0) return;
  names_.push_back(name);
  entry_->holders.push_back(name);
}

EventId MaskHold::note(EventKind kind, std::uint32_t related) const {
  if (!recorder_->on()) return 0;
  return recorder_->note(makeMaskEvent(*recorder_, kind, entry_->placement, entry_->id, related,
                                       entry_->buffer.refcount(), entry_->holders));
}

std::shared_ptr<MaskHold> MaskRegistry::hold(const MaskPartial& placement, const Buffers& masks,
                                             Communicator& comm, const std::string& holder,
                                             MaskRecordPtr remembered) {
  auto entry = remembered != nullptr ? std::move(remembered) : find(placement, masks, comm);
  if (entry == nullptr) entry = added(Emulation::None);
  const bool isNew = entry->buffer.refcount() == 0;
  const auto conflict = materialize(*entry, masks, holder);
  if (entry->isRemembered()) refuseTogether(comm, conflict);
  if (isNew) {
    entry->placement = placement;
    entry->ranks = comm.hosted();
    entry->wasMaterialized = true;
    if (recorder_->on()) {
      entry->record = addMaskRecord(*recorder_, "mask #" + std::to_string(entry->id), masks);
    }
  }
  auto pending = std::make_shared<MaskHold>(entry, recorder_);
  pending->addHolder(holder);
  const EventId event = pending->note(EventKind::MaskMaterialized, entry->record);
  if (isNew && event != 0) recordValues(*recorder_, event, entry->record, masks, entry->ranks);
  return pending;
}

MaskRecordPtr MaskRegistry::remember(Emulation emulation) {
  return emulation == Emulation::None ? nullptr : added(emulation);
}

std::vector<MaskRecordPtr> MaskRegistry::materialized() const {
  std::vector<MaskRecordPtr> entries;
  for (const auto& weak : live_) {
    auto entry = weak.lock();
    if (entry && entry->wasMaterialized) entries.push_back(std::move(entry));
  }
  return entries;
}

MaskRecordPtr MaskRegistry::find(const MaskPartial& placement, const Buffers& masks,
                                 Communicator& comm) const {
  constexpr char kSame = '1';
  std::vector<MaskRecordPtr> held;
  std::string said;
  for (const auto& weak : live_) {
    auto entry = weak.lock();
    if (!entry || entry->isRemembered() || entry->placement != placement) continue;
    if (entry->buffer.refcount() == 0) continue;
    said += entry->buffer.holds(masks) ? kSame : '0';
    held.push_back(std::move(entry));
  }
  if (held.empty()) return nullptr;
  const auto words = comm.allGatherStrings(said);
  for (std::size_t i = 0; i < held.size(); ++i) {
    const auto isSame = [i](const std::string& theirs) { return theirs.at(i) == kSame; };
    if (std::all_of(words.begin(), words.end(), isSame)) return held[i];
  }
  return nullptr;
}

MaskRecordPtr MaskRegistry::added(Emulation emulation) {
  std::erase_if(live_, [](const auto& weak) { return weak.expired(); });
  auto entry = std::make_shared<MaskRecord>(emulation);
  entry->id = recorder_->nextBuffer();
  live_.push_back(entry);
  return entry;
}

}  // namespace shardlens
