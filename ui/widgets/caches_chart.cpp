#include "ui/widgets/caches_chart.h"

#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"
#include "ui/widgets/chart_axes.h"

#include <QLineSeries>
#include <QMouseEvent>
#include <algorithm>

namespace shardlens {

CachesChart::CachesChart(const QString& title, double most, QWidget* parent)
    : QChartView(parent),
      most_(most),
      strategy_(new QLineSeries(this)),
      plan_(new QLineSeries(this)),
      mark_(new QLineSeries(this)),
      steps_(new QValueAxis(this)),
      counts_(new QValueAxis(this)) {
  setAccessibleName(title);
  setMinimumSize(90, 20);
  setToolTip(
      tr("%1: solid line for the strategy cache, dashed line for the plan cache").arg(title));
  chart()->setTitle(title);
  prepareChart(*this, *steps_, *counts_, {strategy_, plan_, mark_});
  for (QValueAxis* axis : {steps_, counts_}) {
    axis->setLabelFormat(QStringLiteral("%d"));
    axis->setTickType(QValueAxis::TicksDynamic);
  }
  atEachZoom(this, [this] { applyTheme(); });
}

void CachesChart::setLines(const QList<QPointF>& strategy, const QList<QPointF>& plan) {
  strategy_->replace(strategy);
  plan_->replace(plan);
  top_ = 1;
  for (const QList<QPointF>* line : {&strategy, &plan}) {
    for (const QPointF& point : *line) {
      top_ = std::max(top_, point.y());
    }
  }
}

bool CachesChart::isEmpty() const { return strategy_->count() == 0 && plan_->count() == 0; }

void CachesChart::setPosition(double position, double last) {
  position_ = position;
  last_ = last;
  setAxes();
}

// As many labels as the width has room for.
void CachesChart::resizeEvent(QResizeEvent* event) {
  QChartView::resizeEvent(event);
  setAxes();
}

void CachesChart::setAxes() {
  const double top = most_ > 0 ? most_ : top_;
  const double end = std::max(1.0, last_);
  setAxis(*steps_, 0, end * 1.03, tickInterval(end, intervalsWithLabels(*this, end)));
  setAxis(*counts_, 0, top * 1.08, tickInterval(top, 3));
  mark_->replace(QList<QPointF>{{position_, 0}, {position_, top * 1.08}});
}

void CachesChart::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) {
    Q_EMIT clicked(chart()->mapToValue(mapToScene(event->pos()), strategy_).x());
  }
}

void CachesChart::applyTheme() {
  setBackgroundBrush(theme().card);
  chart()->setBackgroundBrush(theme().card);
  chart()->setTitleFont(zoomed(textFont(11)));
  chart()->setTitleBrush(theme().muted);
  strategy_->setPen(QPen(theme().accent, 2));
  plan_->setPen(QPen(theme().text, 1.6, Qt::DashLine));
  mark_->setPen(QPen(theme().bad, 1.4));
  for (QValueAxis* axis : {steps_, counts_}) {
    shardlens::applyTheme(*axis);
  }
}

}  // namespace shardlens
