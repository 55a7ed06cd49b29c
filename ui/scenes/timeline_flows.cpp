#include "ui/scenes/timeline_flows.h"

#include "core/trace/records/collective_record.h"

namespace shardlens {
namespace {

constexpr double kLeastWait = 8;  // pixels; arrows to shorter bars would cover them

}  // namespace

void FlowLayout::addWaiting(EventId event, int group, const QRectF& bar) {
  if (bar.width() >= kLeastWait) collectives_[{event, group}].waiting.push_back(bar);
}

void FlowLayout::addLate(EventId event, int group, const QRectF& bar) {
  collectives_[{event, group}].late = bar;
}

void FlowLayout::addMissing(EventId event, int group, const QRectF& gap) {
  collectives_[{event, group}].missing.push_back(gap);
}

void FlowLayout::addMessage(EventId event, const QRectF& bar) {
  const Event& record = journal_.at(event);
  const auto ends = readMessage(journal_.name(record));
  if (record.sequence == 0 || !ends) return;
  Message& message = messages_[{record.group, record.sequence}];
  (ends->isSend ? message.send : message.receive) = bar;
  if (!ends->isSend) message.event = event;
}

std::vector<TimelineFlow> FlowLayout::arrows() const {
  using Kind = TimelineFlow::Kind;
  std::vector<TimelineFlow> flows;
  for (const auto& [key, collective] : collectives_) {
    for (const QRectF& waiting : collective.waiting) {
      if (!collective.late.isNull()) {
        const double x = collective.late.left();
        flows.push_back({QPointF(x, collective.late.center().y()), QPointF(x, waiting.center().y()),
                         Kind::Wait, key.first});
      }
      for (const QRectF& gap : collective.missing) {
        const double x = gap.right() - 10;  // where all of them wait
        flows.push_back({QPointF(x, gap.center().y()), QPointF(x, waiting.center().y()),
                         Kind::Missing, key.first});
      }
    }
  }
  for (const auto& [key, message] : messages_) {
    if (message.send.isNull() || message.receive.isNull()) continue;
    flows.push_back({QPointF(message.send.left(), message.send.center().y()),
                     QPointF(message.receive.right(), message.receive.center().y()), Kind::Message,
                     message.event});
  }
  return flows;
}

}  // namespace shardlens
