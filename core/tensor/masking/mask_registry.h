#pragma once

#include "core/model/modes.h"
#include "core/model/placement.h"
#include "core/tensor/masking/mask_buffer.h"
#include "core/trace/journal/recorder.h"

#include <memory>
#include <string>
#include <vector>

namespace shardlens {

// Note [Buffers that caches keep]
// DTensor has the buffer in the placement, and its strategy cache remembers placements: whoever
// looks up with the same shapes finds the same buffer there. Where that is emulated, a buffer
// belongs to a remembered strategy, and a hold on it is no more than a name. Nobody knows when a
// result was dropped without being reduced, nor that one was reduced before: it stays counted, and
// a second reduction reads the buffer, and releases it, as it then is.

// A mask buffer, what its lookups have in common, and what the recording knows of it.
struct MaskRecord {
  explicit MaskRecord(Emulation rules = Emulation::None);
  bool isRemembered() const { return emulation != Emulation::None; }

  Emulation emulation;  // None: it is its holders', else see Note [Buffers that caches keep]
  MaskBuffer buffer;
  MaskPartial placement;
  std::vector<int> ranks;  // whose masks they are
  std::vector<std::string> holders;
  BufferId id = 0;
  bool wasMaterialized = false;
  TensorId record = 0;  // the mask's bits in the recording
};
using MaskRecordPtr = std::shared_ptr<MaskRecord>;

// The hold of one lookup on a mask buffer. The ids that were shifted, the pending result and its
// aliases share one hold; it ends when the result is reduced, or with the last of them. An end that
// fails then is the recorder's to rethrow.
class MaskHold : public std::enable_shared_from_this<MaskHold> {
 public:
  MaskHold(MaskRecordPtr entry, std::shared_ptr<Recorder> recorder);
  ~MaskHold();
  MaskHold(const MaskHold&) = delete;
  MaskHold& operator=(const MaskHold&) = delete;

  // Zeroes the masked entries of a pending result, the first time only: they had no meaning before,
  // so whoever else reads the tensor reads the same. `tensor` is its record.
  void apply(const Buffers& locals, TensorId tensor);
  void release();

  // A hold of its own on the same masks, for another lookup of the same ids.
  std::shared_ptr<MaskHold> again(const std::string& holder) const;
  // This hold, or one on the buffer that the strategy remembers, where ids were masked into
  // another.
  std::shared_ptr<MaskHold> on(const MaskRecordPtr& remembered);

  // The buffer, where a strategy remembers it; else null.
  MaskRecordPtr remembered() const { return entry_->isRemembered() ? entry_ : nullptr; }

  TensorId record() const { return entry_->record; }
  void addHolder(const std::string& name);

 private:
  EventId note(EventKind kind, std::uint32_t related) const;

  MaskRecordPtr entry_;
  std::shared_ptr<Recorder> recorder_;
  std::vector<std::string> names_;
  bool applied_ = false;
  bool released_ = false;

  friend class MaskRegistry;
};

// All live mask buffers of a runtime. Lookups of the same ids in tables cut alike share a buffer
// and count; other ids get a buffer of their own, so that masks of pending lookups cannot conflict.
// Whether ids are the same is for all processes to say: each has only the masks of its own ranks.
// One thread at a time may use a ledger and the holds of its masks.
class MaskRegistry {
 public:
  explicit MaskRegistry(std::shared_ptr<Recorder> recorder) : recorder_(std::move(recorder)) {}

  // `remembered`: the buffer that the masks have to go into, whatever it holds; null elsewhere.
  std::shared_ptr<MaskHold> hold(const MaskPartial& placement, const Buffers& masks,
                                 Communicator& comm, const std::string& holder,
                                 MaskRecordPtr remembered = nullptr);

  // A buffer for a strategy to remember; null where nothing is emulated.
  MaskRecordPtr remember(Emulation emulation);

  // Those that have been materialized and may still be held.
  std::vector<MaskRecordPtr> materialized() const;

 private:
  MaskRecordPtr find(const MaskPartial& placement, const Buffers& masks, Communicator& comm) const;
  MaskRecordPtr added(Emulation emulation);

  std::shared_ptr<Recorder> recorder_;
  std::vector<std::weak_ptr<MaskRecord>> live_;
};

}  // namespace shardlens
