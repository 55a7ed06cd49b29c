#include "core/tensor/masking/mask_registry.h"

#include "core/base/refusal.h"
#include "core/base/text.h"
#include "core/comm/refuse_together.h"
#include "core/tensor/values/recording.h"

#include <ATen/ATen.h>
#include <fmt/core.h>

#include <algorithm>

namespace shardlens {
namespace {

// Returns the first rank whose mask differs from the buffer's; one must differ.
int firstDiffering(const MaskRecord& entry, const Buffers& masks) {
  std::size_t i = 0;
  while (at::equal(masks[i], entry.buffer.data()[i])) ++i;
  return entry.ranks[i];
}

// Returns why the buffer refuses these masks; empty if it took them.
std::string materialize(MaskRecord& entry, const Buffers& masks, const std::string& holder) {
  try {
    entry.buffer.materialize(masks);
    return {};
  } catch (const Refusal& refusal) {
    const auto held = entry.holders.empty() ? "another holder" : joined(entry.holders);
    if (entry.emulation == Emulation::Before131264) {
      return fmt::format("{}: got a mask for {}, expected none while held by {}", refusal.what(),
                         holder, held);
    }
    return fmt::format("{}: got another mask for {} on rank {}, expected that of {}",
                       refusal.what(), holder, firstDiffering(entry, masks), held);
  }
}

}  // namespace

std::shared_ptr<MaskHold> MaskRegistry::hold(const MaskPartial& placement, const Buffers& masks,
                                             Communicator& comm, const std::string& holder) {
  auto entry = find(placement, masks, comm);
  if (entry == nullptr) entry = add(Emulation::None);
  entry->buffer.materialize(masks);
  auto hold = std::make_shared<MaskHold>(std::move(entry), recorder_);
  begin(*hold, placement, masks, comm.hosted(), holder);
  return hold;
}

std::shared_ptr<MaskHold> MaskRegistry::holdEmulated(const MaskRecordPtr& buffer,
                                                     const MaskPartial& placement,
                                                     const Buffers& masks, Communicator& comm,
                                                     const std::string& holder) {
  refuseTogether(comm, materialize(*buffer, masks, holder));
  auto hold = nameOf(buffer);
  begin(*hold, placement, masks, comm.hosted(), holder);
  return hold;
}

std::shared_ptr<MaskHold> MaskRegistry::nameOf(const MaskRecordPtr& buffer) const {
  return std::make_shared<EmulatedHold>(buffer, recorder_);
}

MaskRecordPtr MaskRegistry::add(Emulation emulation) {
  std::erase_if(live_, [](const auto& weak) { return weak.expired(); });
  auto entry = std::make_shared<MaskRecord>(emulation);
  entry->id = recorder_->nextBuffer();
  live_.push_back(entry);
  return entry;
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
  std::string mine;
  for (const auto& weak : live_) {
    auto entry = weak.lock();
    if (!entry || entry->isEmulated() || entry->placement != placement) continue;
    if (entry->buffer.refcount() == 0) continue;
    mine += entry->buffer.holds(masks) ? kSame : '0';
    held.push_back(std::move(entry));
  }
  if (held.empty()) return nullptr;
  const auto words = comm.allGatherStrings(mine);
  for (std::size_t i = 0; i < held.size(); ++i) {
    const auto isSame = [i](const std::string& theirs) { return theirs.at(i) == kSame; };
    if (std::all_of(words.begin(), words.end(), isSame)) return held[i];
  }
  return nullptr;
}

void MaskRegistry::begin(MaskHold& hold, const MaskPartial& placement, const Buffers& masks,
                         const std::vector<int>& ranks, const std::string& holder) const {
  MaskRecord& entry = *hold.buffer();
  const bool isFirst = entry.buffer.refcount() == 1;
  if (isFirst) {
    entry.placement = placement;
    entry.ranks = ranks;
    entry.wasMaterialized = true;
    if (recorder_->on()) {
      entry.record = addMaskRecord(*recorder_, "mask #" + std::to_string(entry.id), masks);
      entry.recordedIn = recorder_->recording();
    }
  }
  const EventId event = hold.noteMaterialized(holder);
  if (isFirst && event != 0) recordValues(*recorder_, event, entry.record, masks, ranks);
}

}  // namespace shardlens
