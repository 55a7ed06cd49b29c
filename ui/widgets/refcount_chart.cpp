#include "ui/widgets/refcount_chart.h"

#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"
#include "ui/widgets/chart_axes.h"

#include <QLineSeries>
#include <QMouseEvent>
#include <algorithm>

namespace shardlens {
RefcountChart::RefcountChart(QWidget* parent)
    : QChartView(parent),
      past_(new QLineSeries(this)),
      future_(new QLineSeries(this)),
      mark_(new QLineSeries(this)),
      steps_(new QValueAxis(this)),
      counts_(new QValueAxis(this)) {
  setObjectName(QStringLiteral("refcountChart"));
  setAccessibleName(tr("Refcount over the events"));
  setMinimumSize(90, 20);
  prepareChart(*this, *steps_, *counts_, {future_, past_, mark_});
  for (QValueAxis* axis : {steps_, counts_}) {
    axis->setLabelFormat(QStringLiteral("%d"));
    axis->setTickType(QValueAxis::TicksDynamic);
  }
  atEachZoom(this, [this] { applyTheme(); });
}

void RefcountChart::setSteps(const std::vector<QPointF>& corners, double position) {
  QList<QPointF> past;
  QList<QPointF> future;
  double last = 0;
  double most = 1;
  for (const QPointF& corner : corners) {
    most = std::max(most, corner.y());
    if (corner.x() <= position) {
      past.append(corner);
      last = corner.y();
      continue;
    }
    if (future.isEmpty()) {
      past.append(QPointF(position, last));
      future.append(QPointF(position, last));
    }
    future.append(corner);
  }
  end_ = corners.empty() ? 1 : std::max(1.0, corners.back().x());
  past_->replace(past);
  future_->replace(future);
  most_ = most;
  setTicks();
  mark_->replace(QList<QPointF>{{position, -0.15}, {position, most + 0.35}});
}

// The chart omits or elides labels without room, so the numbers of ticks follow the size.
void RefcountChart::setTicks() {
  const double room = (height() / Zoom::now().factor() - 28) / 24;
  setAxis(*steps_, 0, end_ * 1.03, tickInterval(end_, intervalsWithLabels(*this, end_)));
  setAxis(*counts_, -0.15, most_ + 0.35, tickInterval(most_, std::clamp(room, 1.0, 4.0)));
}

void RefcountChart::resizeEvent(QResizeEvent* event) {
  QChartView::resizeEvent(event);
  setTicks();
}

void RefcountChart::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) {
    Q_EMIT clicked(chart()->mapToValue(mapToScene(event->pos()), past_).x());
  }
}

void RefcountChart::applyTheme() {
  setBackgroundBrush(theme().card);
  chart()->setBackgroundBrush(theme().card);
  past_->setPen(QPen(theme().accent, 2));
  future_->setPen(QPen(theme().accent, 1.6, Qt::DotLine));
  mark_->setPen(QPen(theme().bad, 1.4));
  for (QValueAxis* axis : {steps_, counts_}) {
    shardlens::applyTheme(*axis);
  }
}

}  // namespace shardlens
