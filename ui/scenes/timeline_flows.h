#pragma once

#include "ui/scenes/timeline_scene.h"

#include <map>
#include <utility>

namespace shardlens {

// Collects the ends of arrows while lanes are laid out, and joins them. Bars are given in the order
// of the lanes.
class FlowLayout {
 public:
  explicit FlowLayout(const Journal& journal) : journal_(journal) {}

  // Add a rank's part of a collective: the bar of its waiting, the bar of the last rank from its
  // arrival on, and the gap of a rank that did not arrive. `group`: as Timeline::groupOf().
  void addWaiting(EventId event, int group, const QRectF& bar);
  void addLate(EventId event, int group, const QRectF& bar);
  void addMissing(EventId event, int group, const QRectF& gap);
  // Adds the bar of a send or recv of a recorded job, "send 0->1" or "recv 1<-0". Ignores other
  // events.
  void addMessage(EventId event, const QRectF& bar);

  // Returns the arrows from late and missing ranks to each visible waiting bar, and from each send
  // to its recv.
  std::vector<TimelineFlow> arrows() const;

 private:
  struct Collective {
    std::vector<QRectF> waiting;
    QRectF late;  // null: not visible
    std::vector<QRectF> missing;
  };
  struct Message {
    QRectF send, receive;  // null: not visible
    EventId event = 0;     // the recv
  };

  const Journal& journal_;
  std::map<std::pair<EventId, int>, Collective> collectives_;
  std::map<std::pair<StringId, std::uint32_t>, Message> messages_;  // by channel and number
};

}  // namespace shardlens
