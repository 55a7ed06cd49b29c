// Part of TimelineCanvas: keys, the mouse, and the selection of an area.
#include "ui/scenes/zoom.h"
#include "ui/widgets/paint.h"
#include "ui/widgets/timeline_canvas.h"
#include "ui/widgets/timeline_paint.h"

#include <QKeyEvent>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

namespace shardlens {
namespace {

view::TimelineArea ordered(const view::TimelineArea& area) {
  const auto [from, to] = std::minmax(area.from, area.to);
  const auto [first, last] = std::minmax(area.firstLane, area.lastLane);
  return {from, to, first, last};
}

}  // namespace

bool TimelineCanvas::event(QEvent* event) {
  // Reserve the widget's keys before the window's shortcuts take them.
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool pans = (key->modifiers() & Qt::ShiftModifier) != 0 &&
                      (key->key() == Qt::Key_Left || key->key() == Qt::Key_Right);
    const auto keys = {Qt::Key_Plus,   Qt::Key_Equal,       Qt::Key_Minus,       Qt::Key_0,
                       Qt::Key_Return, Qt::Key_BracketLeft, Qt::Key_BracketRight};
    const bool isOwn = std::find(keys.begin(), keys.end(), key->key()) != keys.end() ||
                       (key->key() == Qt::Key_Escape && area_.has_value());
    if ((key->modifiers() & Qt::ControlModifier) == 0 && (pans || isOwn)) {
      event->accept();
      return true;
    }
  }
  return QAbstractScrollArea::event(event);
}

void TimelineCanvas::keyPressEvent(QKeyEvent* event) {
  if (timeline_ == nullptr) {
    return QAbstractScrollArea::keyPressEvent(event);
  }
  const auto now = atPosition();
  const double mark = now ? window_.xOf(now->begin) : -1;
  const double centre =
      TimelinePaint::kLabels + (mark >= 0 && mark <= window_.width ? mark : window_.width / 2);
  switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return zoomBy(1.5, centre);
    case Qt::Key_Minus:
      return zoomBy(1 / 1.5, centre);
    case Qt::Key_0:
      return showAll();
    case Qt::Key_Return:
    case Qt::Key_Enter:
      return showPosition();
    case Qt::Key_BracketLeft:
      return beginArea(now ? now->begin : window_.from);
    case Qt::Key_BracketRight: {
      const bool hasEnd = now && now->end != view::TimelineSpan::kForever;
      return endArea(hasEnd ? now->end : now ? now->begin : window_.to);
    }
    case Qt::Key_Escape:
      if (area_) return clearArea();
      break;
    case Qt::Key_Left:
    case Qt::Key_Right:
      if ((event->modifiers() & Qt::ShiftModifier) != 0) {
        return pan(window_.width / (event->key() == Qt::Key_Left ? -10 : 10));
      }
      break;
    default:
      break;
  }
  QAbstractScrollArea::keyPressEvent(event);
}

void TimelineCanvas::wheelEvent(QWheelEvent* event) {
  const QPointF moved = event->angleDelta();
  if (unzoomed(event->position()).x() < TimelinePaint::kLabels) {
    return QAbstractScrollArea::wheelEvent(event);
  }
  if ((event->modifiers() & Qt::ShiftModifier) != 0 || moved.x() != 0) {
    pan(-(moved.x() != 0 ? moved.x() : moved.y()) / 2);
  } else {
    zoomBy(std::pow(1.25, moved.y() / 120), unzoomed(event->position()).x());
  }
  event->accept();
}

void TimelineCanvas::choose(QPointF place) {
  const int lanes = static_cast<int>(scene().lanes.size());
  if (lanes == 0) {
    return;
  }
  const double y = std::clamp(place.y(), TimelinePaint::kTop,
                              TimelinePaint::kTop + lanes * window_.rowHeight - 1);
  const double x = std::clamp(place.x() - TimelinePaint::kLabels, 0.0, window_.width);
  const auto span = timeline_->newestAt(rankOfLaneAt(y), window_.timeAt(x));
  if (span && std::exchange(chosen_, span->event) != span->event) {
    Q_EMIT clicked(span->event);
  }
}

std::int64_t TimelineCanvas::clampedRow(double y) const {
  const auto row =
      window_.firstRow +
      static_cast<std::int64_t>(std::max(0.0, y - TimelinePaint::kTop) / window_.rowHeight);
  return std::clamp<std::int64_t>(row, 0, std::max<std::int64_t>(rows_.size() - 1, 0));
}

std::int64_t TimelineCanvas::clampedTime(double x) const {
  return window_.timeAt(std::clamp(x - TimelinePaint::kLabels, 0.0, window_.width));
}

void TimelineCanvas::setArea(const view::TimelineArea& area) {
  area_ = ordered(area);
  viewport()->update();
  Q_EMIT areaChanged();
}

void TimelineCanvas::clearArea() {
  if (std::exchange(area_, std::nullopt)) {
    viewport()->update();
    Q_EMIT areaChanged();
  }
}

void TimelineCanvas::beginArea(std::int64_t time) {
  view::TimelineArea area =
      area_.value_or(view::TimelineArea{time, timeline_->end(), 0, timeline_->lanes() - 1});
  area.from = time;
  area.to = std::max(area.to, time);
  setArea(area);
}

void TimelineCanvas::endArea(std::int64_t time) {
  view::TimelineArea area =
      area_.value_or(view::TimelineArea{timeline_->begin(), time, 0, timeline_->lanes() - 1});
  area.to = time;
  area.from = std::min(area.from, time);
  setArea(area);
}

// Selects from where the drag began to here, and reports it when the drag ends. A drag along the
// time scale selects all ranks.
void TimelineCanvas::select(QPointF place) {
  const QPointF begin = *selectedFrom_;
  view::TimelineArea area{clampedTime(begin.x()), clampedTime(place.x()), 0,
                          timeline_->lanes() - 1};
  if (begin.y() >= TimelinePaint::kTop) {
    const auto [first, last] = std::minmax({clampedRow(begin.y()), clampedRow(place.y())});
    const view::TimelineRow end = rows_.at(last);
    area.firstLane = rows_.at(first).lane;
    area.lastLane = end.lane + end.lanes - 1;
  }
  area_ = ordered(area);
  viewport()->update();
}

void TimelineCanvas::mousePressEvent(QMouseEvent* event) {
  const QPointF place = unzoomed(event->position());
  dragged_ = place.x();
  if (event->button() != Qt::LeftButton || timeline_ == nullptr || rows_.size() == 0) {
    return;
  }
  const bool selects =
      place.y() < TimelinePaint::kTop || (event->modifiers() & Qt::ShiftModifier) != 0;
  const auto row = rowAt(event->position());
  if (place.x() >= TimelinePaint::kLabels && selects) {
    area_.reset();
    selectedFrom_ = place;
  } else if (place.x() < TimelinePaint::kLabels && row && rows_.at(*row).alike > 1) {
    toggleRow(*row);
  } else {
    choose(place);
  }
}

void TimelineCanvas::mouseMoveEvent(QMouseEvent* event) {
  const QPointF place = unzoomed(event->position());
  if ((event->buttons() & Qt::LeftButton) != 0) {
    if (selectedFrom_) {
      select(place);
    } else if (place.x() >= TimelinePaint::kLabels || chosen_ != 0) {
      choose(place);
    }
  } else if ((event->buttons() & Qt::MiddleButton) != 0) {
    pan(std::exchange(dragged_, place.x()) - place.x());
  }
}

void TimelineCanvas::mouseReleaseEvent(QMouseEvent* /*event*/) {
  chosen_ = 0;
  if (std::exchange(selectedFrom_, std::nullopt)) {
    viewport()->update();
    Q_EMIT areaChanged();
  }
}

}  // namespace shardlens
