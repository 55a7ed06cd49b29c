#pragma once

#include "core/model/event.h"
#include "core/trace/value.h"

#include <string_view>

namespace shardlens {

// Takes what a Recorder writes, in order, on the recorder's thread: a journal in memory, a file, a
// gate that holds the engine. Strings and tensors come before the first event that names them,
// values after the event they belong to.
class EventSink {
 public:
  virtual ~EventSink() = default;
  // Whether anybody will ask it why: what takes long to say is not said for those who only count.
  virtual bool wantsReasons() const { return true; }
  virtual void onMeta(std::string_view key, std::string_view value) = 0;
  virtual void onString(StringId id, std::string_view text) = 0;
  virtual void onTensor(const TensorRecord& tensor) = 0;
  virtual void onEvent(EventId id, const Event& event) = 0;
  virtual void onValue(const ValueRecord& value) = 0;
  // A span ended: the event with its duration filled in. What a snapshot is made of (all but the
  // duration) stands in the event from the start. Also called while an exception unwinds spans, so
  // it must not throw.
  virtual void onEnd(EventId id, const Event& event) = 0;
};

}  // namespace shardlens
