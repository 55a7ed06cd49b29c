#pragma once

#include "core/model/placement.h"
#include "core/tensor/masking/mask_buffer.h"
#include "core/trace/recorder/event_makers.h"

#include <memory>
#include <string>
#include <vector>

namespace shardlens {

// A mask buffer with its placement, the names of its holders, and its ids in the recording.
struct MaskRecord {
  enum class Owner : std::uint8_t { Holders, Cache };

  MaskRecord() = default;
  MaskRecord(Owner whose, Sharing sharing) : owner(whose), buffer(sharing) {}

  Owner owner = Owner::Holders;  // Cache: see MaskPolicy::bufferFor()
  MaskBuffer buffer;
  MaskPartial placement;
  std::vector<int> ranks;  // the ranks of buffer.data()
  std::vector<std::string> holders;
  // The last MaskMaterialized event of this buffer.
  EventId newestHold = 0;
  // The buffer's number in the recording and in messages.
  BufferId id = 0;
  bool wasMaterialized = false;
  TensorId record = 0;           // id of the mask's bits in the recording
  std::uint32_t recordedIn = 0;  // see Recorder::recording()
};
using MaskRecordPtr = std::shared_ptr<MaskRecord>;

// The hold of one lookup on a mask buffer. Shared by the masked ids, the pending result and its
// aliases. Ends when the result is reduced, or with the last of these tensors. If release in the
// destructor throws, the recorder keeps the exception and rethrows it later.
class MaskHold {
 public:
  MaskHold(MaskRecordPtr buffer, std::shared_ptr<Recorder> recorder);
  virtual ~MaskHold();
  MaskHold(const MaskHold&) = delete;
  MaskHold& operator=(const MaskHold&) = delete;

  // Zeroes the masked entries of a pending result in place; later calls do nothing. Masked entries
  // are undefined before, so other readers of the tensor are not affected. Records MaskApplied;
  // `tensor` is the result's id in the recording, or 0. Throws Refusal if the buffer has no holder.
  virtual void apply(const Buffers& locals, TensorId tensor);
  // Ends the hold; later calls do nothing.
  virtual void release();
  // Returns copies with the masked entries zeroed, without recording or changing anything. Returns
  // `locals` themselves if apply() has run.
  virtual Buffers masked(const Buffers& locals) const;

  // Returns a new hold on the same masks, for another lookup of the same ids. Throws Refusal if the
  // buffer has no holder, because its masks were dropped.
  std::shared_ptr<MaskHold> again(const std::string& holder) const;

  const MaskRecordPtr& buffer() const { return buffer_; }
  // The id of the mask's bits in the current recording, or 0.
  TensorId record() const { return isRecorded() ? buffer_->record : 0; }
  // Adds a name to the holders in messages; ignores a second time, and calls after release().
  void addHolder(const std::string& name);
  // Records MaskMaterialized for `holder` and returns its id, 0 without sinks. Call it right after
  // the buffer took the masks.
  EventId noteMaterialized(const std::string& holder);
  // The MaskMaterialized event that began this hold; 0 after release(), or if not recorded.
  EventId event() const { return released_ || !isRecorded() ? 0 : event_; }

 protected:
  virtual std::shared_ptr<MaskHold> another() const;
  void applyBuffer(const Buffers& locals, TensorId tensor) const;
  Buffers maskedCopies(const Buffers& locals) const;
  void releaseBuffer();
  // Marks the hold as released and leaves the buffer materialised.
  void keepBuffer() { released_ = true; }
  EventId note(const MaskEvent& event) const;
  const std::shared_ptr<Recorder>& recorder() const { return recorder_; }

 private:
  bool isRecorded() const { return buffer_->recordedIn == recorder_->recording(); }

  MaskRecordPtr buffer_;
  std::shared_ptr<Recorder> recorder_;
  std::vector<std::string> names_;
  EventId event_ = 0;
  bool applied_ = false;
  bool released_ = false;
};

}  // namespace shardlens
