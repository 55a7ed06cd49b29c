#include "core/session/collective_tally.h"

#include <algorithm>
#include <array>

namespace shardlens {

void CollectiveTally::onString(StringId id, std::string_view text) {
  constexpr std::array<std::string_view, 6> kKinds = {"all_reduce", "all_gather", "reduce_scatter",
                                                      "all_to_all", "broadcast",  "scatter"};
  if (std::find(kKinds.begin(), kKinds.end(), text) != kKinds.end()) kinds_.emplace(id, text);
}

void CollectiveTally::onEvent(EventId, const Event& event) {
  if (event.kind != EventKind::Collective) return;
  auto& count = of(event);
  ++count.count;
  count.bytes += event.bytes;
}

void CollectiveTally::onEnd(EventId, const Event& event) {
  if (event.kind == EventKind::Collective) of(event).nanoseconds += event.duration;
}

CollectiveTally::Count& CollectiveTally::of(const Event& event) {
  const auto& kind = kinds_.at(event.name);
  const auto it = std::find_if(counts_.rbegin(), counts_.rend(), [&](const Count& count) {
    return count.step == event.step && count.kind == kind;
  });
  return it != counts_.rend() ? *it : counts_.emplace_back(Count{event.step, kind});
}

}  // namespace shardlens
