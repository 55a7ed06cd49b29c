#pragma once

#include "core/trace/event_sink.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace shardlens {

// Counts the collectives of each step, by kind, in the order in which they first came.
class CollectiveTally final : public EventSink {
 public:
  struct Count {
    int step = 0;
    std::string kind;
    int count = 0;
    std::int64_t bytes = 0;
    std::int64_t nanoseconds = 0;  // of those that have ended
  };
  const std::vector<Count>& counts() const { return counts_; }

  bool wantsReasons() const override { return false; }
  void onMeta(std::string_view, std::string_view) override {}
  void onString(StringId id, std::string_view text) override;
  void onTensor(const TensorRecord&) override {}
  void onEvent(EventId id, const Event& event) override;
  void onValue(const ValueRecord&) override {}
  void onEnd(EventId id, const Event& event) override;

 private:
  Count& of(const Event& event);

  std::unordered_map<StringId, std::string> kinds_;
  std::vector<Count> counts_;
};

}  // namespace shardlens
