#pragma once

#include "core/model/placement.h"
#include "core/tensor/mask_buffer.h"
#include "core/trace/recorder.h"

#include <memory>
#include <string>
#include <vector>

namespace shardlens {

// A live mask buffer, what its lookups have in common, and what the recording knows of it.
struct LedgerEntry {
  MaskBuffer buffer;
  MaskPartial placement;
  std::vector<int> ranks;  // whose masks they are
  std::vector<std::string> holders;
  BufferId id = 0;
  TensorId record = 0;  // the mask's bits in the recording
};

// The hold of one lookup on a mask buffer. The ids that were shifted, the pending result and its
// aliases share one hold; it ends when the result is reduced, or with the last of them.
class PendingMask {
 public:
  PendingMask(std::shared_ptr<LedgerEntry> entry, std::shared_ptr<Recorder> recorder);
  ~PendingMask();
  PendingMask(const PendingMask&) = delete;
  PendingMask& operator=(const PendingMask&) = delete;

  // Zeroes the masked entries of a pending result, the first time only: they had no meaning before,
  // so whoever else reads the tensor reads the same. `tensor` is its record.
  void apply(const Buffers& locals, TensorId tensor);
  void release();

  // A hold of its own on the same masks, for another lookup of the same ids.
  std::shared_ptr<PendingMask> again(const std::string& holder) const;

  TensorId record() const { return entry_->record; }
  void addHolder(const std::string& name);

 private:
  EventId note(EventKind kind, std::uint32_t related) const;

  std::shared_ptr<LedgerEntry> entry_;
  std::shared_ptr<Recorder> recorder_;
  std::vector<std::string> names_;
  bool applied_ = false;
  bool released_ = false;

  friend class MaskLedger;
};

// All live mask buffers of a runtime. Lookups of the same ids in tables cut alike share a buffer
// and count; other ids get a buffer of their own, so that masks of pending lookups cannot conflict.
class MaskLedger {
 public:
  explicit MaskLedger(std::shared_ptr<Recorder> recorder) : recorder_(std::move(recorder)) {}

  std::shared_ptr<PendingMask> hold(const MaskPartial& placement, const Buffers& masks,
                                    const std::vector<int>& ranks, const std::string& holder);

 private:
  std::shared_ptr<LedgerEntry> find(const MaskPartial& placement, const Buffers& masks);

  std::shared_ptr<Recorder> recorder_;
  std::vector<std::weak_ptr<LedgerEntry>> live_;
};

}  // namespace shardlens
