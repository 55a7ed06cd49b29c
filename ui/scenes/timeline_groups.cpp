#include "ui/scenes/timeline_groups.h"

#include "ui/text/format.h"

#include <QCoreApplication>
#include <algorithm>

namespace shardlens {
namespace {

constexpr int kApart = 24;     // pixels between neighbours at most
constexpr int kMostKinds = 3;  // that the text of a group lists

std::int64_t moved(const view::TimelineColumn& column) {
  std::int64_t sum = column.waiting;
  for (const std::int64_t axis : column.collectives) sum += axis;
  return sum;
}

bool isFree(const view::TimelineColumn& column) {
  return column.operators == 0 && column.compute == 0 && moved(column) == 0;
}

// Finds the groups of one lane.
class LaneGroups {
 public:
  LaneGroups(const std::vector<TimelineFrame>& frames, TimelineLane& lane,
             const TimelineWindow& window)
      : lane_(lane), window_(window), isNamed_(lane.columns.size()) {
    for (const TimelineFrame& frame : frames) {
      if (!frame.rect.intersects(lane.rect)) continue;
      if (frame.text.isEmpty()) {
        unnamed_.push_back(frame.rect);
      } else {
        mark(frame.rect);
      }
    }
    for (const TimelineGap& gap : lane.gaps) mark(gap.rect);
  }

  void find() {
    for (int x = 0; x < size(); ++x) {
      const view::TimelineColumn& column = at(x);
      const bool isNamed = isNamed_[static_cast<std::size_t>(x)];
      if (first_ >= 0 && (isNamed || x - last_ > kApart)) close();
      if (isNamed || (column.calls == 0 && moved(column) == 0)) continue;
      if (first_ < 0) {
        first_ = x;
        group_ = {};
      }
      last_ = x;
      group_.calls += column.calls;
      group_.kinds |= column.callKinds;
      group_.isImplicit |= column.implicit > 0;
    }
    if (first_ >= 0) close();
  }

 private:
  int size() const { return static_cast<int>(lane_.columns.size()); }
  const view::TimelineColumn& at(int x) const { return lane_.columns[static_cast<std::size_t>(x)]; }

  void mark(const QRectF& rect) {
    const int end = std::min(size(), static_cast<int>(rect.right()) + 1);
    for (int x = std::max(0, static_cast<int>(rect.left())); x < end; ++x) {
      isNamed_[static_cast<std::size_t>(x)] = true;
    }
  }

  // True if the collective at first_ has its frame from an earlier lane on.
  bool isContinued() const {
    return std::ranges::any_of(unnamed_, [this](const QRectF& frame) {
      return frame.top() < lane_.rect.top() && frame.left() < last_ + 1 && frame.right() > first_;
    });
  }

  void close() {
    const QRectF rect(first_, lane_.rect.top() + 1, last_ + 1 - first_, lane_.rect.height() - 2);
    group_.rect = rect;
    group_.from = window_.timeAt(first_);
    group_.to = window_.timeAt(last_ + 1);
    if (group_.calls > 1) {
      group_.room = rect.adjusted(3, 0, -3, 0);
      lane_.groups.push_back(group_);
    } else if (group_.calls == 1 && !isContinued()) {
      int end = last_ + 1;
      while (end < size() && isFree(at(end)) && !isNamed_[static_cast<std::size_t>(end)]) ++end;
      group_.room = QRectF(QPointF(last_ + 4, rect.top()), QPointF(end - 2, rect.bottom()));
      lane_.groups.push_back(group_);
    }
    first_ = -1;
  }

  TimelineLane& lane_;
  const TimelineWindow& window_;
  std::vector<bool> isNamed_;  // by pixel: covered by a collective with a text
  std::vector<QRectF> unnamed_;
  int first_ = -1, last_ = -1;  // pixels of the current group; -1: none
  TimelineGroup group_;
};

}  // namespace

QString shortCallName(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::AllGather:
      return QStringLiteral("AG");
    case CollectiveKind::AllReduce:
      return QStringLiteral("AR");
    case CollectiveKind::AllToAll:
      return QStringLiteral("A2A");
    case CollectiveKind::Barrier:
      return QStringLiteral("BAR");
    case CollectiveKind::Broadcast:
      return QStringLiteral("BC");
    case CollectiveKind::Gather:
      return QStringLiteral("G");
    case CollectiveKind::HaloExchange:
      return QStringLiteral("HX");
    case CollectiveKind::Reduce:
      return QStringLiteral("R");
    case CollectiveKind::ReduceScatter:
      return QStringLiteral("RS");
    case CollectiveKind::Scatter:
      return QStringLiteral("S");
    case CollectiveKind::Other:
      break;
  }
  return {};
}

QStringList groupTexts(const TimelineGroup& group) {
  QStringList names, abbreviations;
  for (int kind = 0; kind < kCollectiveKinds; ++kind) {
    if ((group.kinds >> kind & 1U) == 0) continue;
    names << toQString(collectiveName(static_cast<CollectiveKind>(kind)));
    abbreviations << shortCallName(static_cast<CollectiveKind>(kind));
  }
  if (group.calls == 1) return abbreviations;
  const auto counted = [&](const QString& text) {
    return QCoreApplication::translate("Timeline", "%1 × %2").arg(group.calls).arg(text);
  };
  const bool isOther = (group.kinds & 1U << static_cast<int>(CollectiveKind::Other)) != 0;
  if (isOther || names.size() > kMostKinds) {
    return {QCoreApplication::translate("Timeline", "%1 collectives").arg(group.calls)};
  }
  return {counted(names.join(QStringLiteral(", "))),
          counted(abbreviations.join(QStringLiteral(", ")))};
}

void groupCalls(TimelineScene& scene, const TimelineWindow& window) {
  for (TimelineLane& lane : scene.lanes) LaneGroups(scene.frames, lane, window).find();
  std::erase_if(scene.frames, [&](const TimelineFrame& frame) {
    const auto covers = [&](const TimelineGroup& group) {
      return group.calls > 1 && group.rect.intersects(frame.rect);
    };
    return frame.text.isEmpty() && std::ranges::any_of(scene.lanes, [&](const auto& lane) {
             return std::ranges::any_of(lane.groups, covers);
           });
  });
}

}  // namespace shardlens
