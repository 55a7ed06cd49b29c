#pragma once

#include "core/model/modes.h"
#include "core/model/placement.h"
#include "core/tensor/masking/mask_buffer.h"
#include "core/trace/journal/event_makers.h"

#include <memory>
#include <string>
#include <vector>

namespace shardlens {

// A mask buffer, what its lookups have in common, and what the recording knows of it.
struct MaskRecord {
  explicit MaskRecord(Emulation rules = Emulation::None);
  bool isEmulated() const { return emulation != Emulation::None; }

  Emulation emulation;  // None: it is its holders', else see Note [Buffers that caches keep]
  MaskBuffer buffer;
  MaskPartial placement;
  std::vector<int> ranks;  // whose masks they are
  std::vector<std::string> holders;
  EventId newestHold = 0;
  BufferId id = 0;
  bool wasMaterialized = false;
  TensorId record = 0;  // the mask's bits in the recording
  std::uint32_t recordedIn = 0;  // see Recorder::recording()
};
using MaskRecordPtr = std::shared_ptr<MaskRecord>;

// The hold of one lookup on a mask buffer. The ids that were shifted, the pending result and its
// aliases share one hold; it ends when the result is reduced, or with the last of them. An end that
// fails then is the recorder's to rethrow.
class MaskHold {
 public:
  MaskHold(MaskRecordPtr buffer, std::shared_ptr<Recorder> recorder);
  virtual ~MaskHold();
  MaskHold(const MaskHold&) = delete;
  MaskHold& operator=(const MaskHold&) = delete;

  // Zeroes the masked entries of a pending result, the first time only. They had no meaning before,
  // so other readers of the tensor lose nothing. `tensor` is its record.
  virtual void apply(const Buffers& locals, TensorId tensor);
  virtual void release();
  // Copies of these as apply() would leave them, and nothing else is done; where it would do
  // nothing any more, they themselves.
  virtual Buffers masked(const Buffers& locals) const;

  // A hold of its own on the same masks, for another lookup of the same ids.
  std::shared_ptr<MaskHold> again(const std::string& holder) const;

  const MaskRecordPtr& buffer() const { return buffer_; }
  TensorId record() const { return isRecorded() ? buffer_->record : 0; }
  void addHolder(const std::string& name);
  // It has begun: the buffer has just taken its masks.
  EventId noteMaterialized(const std::string& holder);
  // The MaskMaterialized with which it began; 0 where it is over, or was not recorded.
  EventId event() const { return released_ || !isRecorded() ? 0 : event_; }

 protected:
  virtual std::shared_ptr<MaskHold> another() const;
  void applyBuffer(const Buffers& locals, TensorId tensor) const;
  Buffers maskedCopies(const Buffers& locals) const;
  void releaseBuffer();
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

// On a buffer that a cache keeps: no more than a name, which applies and releases it as often as it
// is asked, and never by itself.
class EmulatedHold final : public MaskHold {
 public:
  using MaskHold::MaskHold;
  ~EmulatedHold() override { keepBuffer(); }

  void apply(const Buffers& locals, TensorId tensor) override { applyBuffer(locals, tensor); }
  void release() override { releaseBuffer(); }
  Buffers masked(const Buffers& locals) const override { return maskedCopies(locals); }

 private:
  std::shared_ptr<MaskHold> another() const override;
};

}  // namespace shardlens
