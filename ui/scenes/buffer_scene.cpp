#include "ui/scenes/buffer_scene.h"

namespace shardlens {

std::vector<MaskBits> maskBits(const Journal& journal, TensorId mask, EventId position) {
  std::vector<MaskBits> result;
  for (const int rank : journal.ranksOf(mask)) {
    const ValueRecord* value = journal.value(mask, rank, position);
    if (value == nullptr || !value->data) {
      continue;
    }
    MaskBits bits;
    bits.rank = rank;
    for (const std::byte bit : *value->data) {
      bits.bits.push_back(bit != std::byte{0});
      bits.masked += bits.bits.back() ? 1 : 0;
    }
    result.push_back(std::move(bits));
  }
  return result;
}

std::vector<EventId> eventsOf(const Journal& journal, BufferId buffer) {
  std::vector<EventId> result;
  for (EventId id = 1; id <= journal.size(); ++id) {
    const Event& event = journal.at(id);
    const bool mask = event.kind == EventKind::MaskMaterialized ||
                      event.kind == EventKind::MaskApplied || event.kind == EventKind::MaskReleased;
    if (mask && event.subject == buffer) {
      result.push_back(id);
    }
  }
  return result;
}

std::vector<QPointF> refcountSteps(const Journal& journal, BufferId buffer) {
  std::vector<QPointF> corners{QPointF(0, 0)};
  double count = 0;
  for (const EventId id : eventsOf(journal, buffer)) {
    const Event& event = journal.at(id);
    if (event.kind == EventKind::MaskApplied) {
      continue;
    }
    corners.emplace_back(id, count);
    count = event.count;
    corners.emplace_back(id, count);
  }
  corners.emplace_back(journal.size(), count);
  return corners;
}

QString bufferState(const BufferState& buffer) {
  return buffer.refcount > 0 ? QStringLiteral("live") : QStringLiteral("released");
}

}  // namespace shardlens
