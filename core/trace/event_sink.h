#pragma once

#include <string_view>

#include "core/model/event.h"
#include "core/trace/value.h"

namespace shardlens {

// Takes what a Recorder writes, in order, on the recorder's thread: a journal in memory, a file, a
// gate that holds the engine. Strings and tensors come before the first event that names them,
// values after the event they belong to.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void onMeta(std::string_view key, std::string_view value) = 0;
  virtual void onString(StringId id, std::string_view text) = 0;
  virtual void onTensor(const TensorRecord& tensor) = 0;
  virtual void onEvent(EventId id, const Event& event) = 0;
  virtual void onValue(const ValueRecord& value) = 0;
  // A span ended: the event with its duration, and perhaps bytes and count, filled in.
  virtual void onEnd(EventId id, const Event& event) = 0;
};

}  // namespace shardlens
