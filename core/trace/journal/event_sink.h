#pragma once

#include "core/model/event.h"
#include "core/trace/journal/value.h"

#include <span>
#include <string_view>

namespace shardlens {

// What a sink wants beside the events themselves. What no sink wants is not made.
struct Wants {
  // When things happened and how long they took, else both are 0. Collectives and GPUs are waited
  // for, so that nothing overlaps.
  bool times = true;
  // Why things happened: arguments, candidates, cache keys, the ways a plan could have gone.
  bool reasons = true;
};

// Takes what a Recorder writes, in order, on the recorder's thread: a journal in memory, a file, a
// gate that holds the engine. Strings, specs and tensors come before the first that names them,
// values after the event they belong to.
class EventSink {
 public:
  virtual ~EventSink() = default;
  // Asked once, when it is added.
  virtual Wants wants() const { return {}; }
  virtual void onMeta(std::string_view key, std::string_view value) = 0;
  virtual void onString(StringId id, std::string_view text) = 0;
  virtual void onSpec(SpecId id, const SpecRecord& spec) = 0;
  virtual void onTensor(TensorId id, StringId name, SpecId spec) = 0;
  // With the ids of its `inputs`.
  virtual void onEvent(EventId id, const Event& event, std::span<const TensorId> inputs) = 0;
  void onEvent(EventId id, const Event& event) { onEvent(id, event, {}); }  // without any
  virtual void onValue(const ValueRecord& value) = 0;
  // A span ended. Nothing of its event changes but the duration, so a snapshot is made of what it
  // said when it began. Called by destructors: what it throws is kept until Recorder::rethrow().
  virtual void onEnd(EventId id, std::int64_t duration) = 0;
  // A person marked the event, and perhaps said why. No recorder tells this: it comes from a
  // journal that is copied.
  virtual void onBookmark(EventId /*id*/, std::string_view /*note*/) {}
};

}  // namespace shardlens
