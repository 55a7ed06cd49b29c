#include "ui/widgets/element_histogram.h"

#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"
#include "ui/widgets/chart_axes.h"

#include <QAreaSeries>
#include <QLineSeries>
#include <QValueAxis>
#include <algorithm>
#include <cmath>

namespace shardlens {

ElementHistogram::ElementHistogram(QWidget* parent)
    : QChartView(parent),
      outline_(new QLineSeries(this)),
      bars_(new QAreaSeries(outline_)),
      mean_(new QLineSeries(this)),
      values_(new QValueAxis(this)),
      counts_(new QValueAxis(this)) {
  setObjectName(QStringLiteral("elementHistogram"));
  setAccessibleName(tr("Histogram of the elements"));
  setMinimumSize(120, 70);
  prepareChart(*this, *values_, *counts_, {bars_, mean_});
  values_->setTickCount(3);
  values_->setLabelFormat(QStringLiteral("%.4g"));
  counts_->setTickCount(3);
  counts_->setLabelFormat(QStringLiteral("%.0f"));
  atEachZoom(this, [this] { applyTheme(); });
}

void ElementHistogram::setScan(const ElementScan& scan) {
  applyTheme();
  const ElementFigures& figures = scan.figures();
  // If all values are equal, there is one bar of width 1.
  const bool isOne = figures.min == figures.max;
  const double low = isOne ? figures.min - 0.5 : figures.min;
  const double high = isOne ? figures.max + 0.5 : figures.max;
  const int bins = isOne ? 1 : ElementScan::kBins;
  QList<QPointF> corners{{low, 0}};
  double most = 1;
  for (int bin = 0; bin < bins; ++bin) {
    const auto count = static_cast<double>(scan.bins()[static_cast<std::size_t>(bin)]);
    const auto at = [&](int edge) {
      const double share = static_cast<double>(edge) / bins;
      return low * (1 - share) + high * share;
    };
    corners << QPointF(at(bin), count) << QPointF(at(bin + 1), count);
    most = std::max(most, count);
  }
  corners << QPointF(high, 0);
  outline_->replace(corners);
  mean_->replace(QList<QPointF>{{figures.mean, 0}, {figures.mean, most}});
  values_->setRange(low, high);
  counts_->setRange(0, most + std::fmod(most, 2));  // even, so that the middle tick is an integer
  setAccessibleDescription(tr("%1 numbers from %2 to %3, mean %4")
                               .arg(figures.numbers)
                               .arg(figures.min)
                               .arg(figures.max)
                               .arg(figures.mean));
}

void ElementHistogram::applyTheme() {
  setBackgroundBrush(theme().card);
  chart()->setBackgroundBrush(theme().card);
  bars_->setPen(QPen(theme().accent, 1.2));
  bars_->setBrush(theme().accentSoft);
  mean_->setPen(QPen(theme().bad, 1.4, Qt::DashLine));
  shardlens::applyTheme(*values_);
  shardlens::applyTheme(*counts_);
}

}  // namespace shardlens
