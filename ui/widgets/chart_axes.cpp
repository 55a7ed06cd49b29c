#include "ui/widgets/chart_axes.h"

#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"

#include <QGraphicsLayout>
#include <algorithm>

namespace shardlens {

double tickInterval(double end, double most) {
  double power = 1;
  while (true) {
    for (const double step : {1.0, 2.0, 5.0}) {
      if (end / (step * power) <= most) {
        return step * power;
      }
    }
    power *= 10;
  }
}

double intervalsWithLabels(const QChartView& view, double end) {
  const QFontMetrics metrics(zoomed(textFont(10)));
  const int label = metrics.horizontalAdvance(QString::number(end, 'f', 0)) + zoomed(32);
  return std::clamp(view.width() / double(label), 1.0, 6.0);
}

void prepareChart(QChartView& view, QValueAxis& across, QValueAxis& up,
                  std::initializer_list<QAbstractSeries*> all) {
  view.setRenderHint(QPainter::Antialiasing);
  view.setFocusPolicy(Qt::NoFocus);
  view.setFrameShape(QFrame::NoFrame);
  QChart& chart = *view.chart();
  chart.legend()->hide();
  chart.setMargins(QMargins(0, 0, 0, 0));
  chart.layout()->setContentsMargins(0, 0, 0, 0);
  chart.setBackgroundRoundness(0);
  chart.addAxis(&across, Qt::AlignBottom);
  chart.addAxis(&up, Qt::AlignLeft);
  for (QAbstractSeries* series : all) {
    chart.addSeries(series);
    series->attachAxis(&across);
    series->attachAxis(&up);
  }
  across.setGridLineVisible(false);
}

// The axis makes ticks on each change. A small interval must not meet a large range in between,
// because that would make millions of ticks.
void setAxis(QValueAxis& axis, double low, double high, double interval) {
  axis.setTickInterval(std::max(interval, axis.tickInterval()));
  axis.setRange(low, high);
  axis.setTickInterval(interval);
}

void applyTheme(QValueAxis& axis) {
  axis.setLabelsColor(theme().muted);
  axis.setLabelsFont(zoomed(textFont(10)));
  axis.setLinePen(QPen(theme().muted, 1));
  axis.setGridLinePen(QPen(theme().border, 1));
}

}  // namespace shardlens
