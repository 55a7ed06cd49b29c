#include "ui/widgets/element_histogram.h"

#include "ui/text/format.h"
#include "ui/widgets/paint.h"

#include <algorithm>
#include <cmath>

namespace shardlens {
namespace {

constexpr double kFoot = 18;  // height of the values below
constexpr double kMargin = 6;
constexpr double kDominant = 20;  // a bin with this many times the second most needs a log scale

QString valueText(double value) { return QString::number(value, 'g', 4); }

}  // namespace

ElementHistogram::ElementHistogram(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("elementHistogram"));
  setAccessibleName(tr("Histogram of the elements"));
  atEachZoom(this, [this] { update(); });
}

void ElementHistogram::setScan(const ElementScan& scan) {
  const ElementFigures& figures = scan.figures();
  // If all values are equal, there is one bar of width 1.
  const bool isOne = figures.min == figures.max;
  low_ = isOne ? figures.min - 0.5 : figures.min;
  high_ = isOne ? figures.max + 0.5 : figures.max;
  mean_ = figures.mean;
  counts_.clear();
  for (int bin = 0; bin < (isOne ? 1 : ElementScan::kBins); ++bin) {
    counts_.push_back(static_cast<double>(scan.bins()[static_cast<std::size_t>(bin)]));
  }
  std::vector<double> sorted = counts_;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  most_ = std::max(1.0, sorted.front());
  isLogarithmic_ = sorted.size() > 1 && sorted[1] > 0 && most_ >= kDominant * sorted[1];
  setAccessibleDescription(tr("%1 numbers from %2 to %3, mean %4")
                               .arg(figures.numbers)
                               .arg(figures.min)
                               .arg(figures.max)
                               .arg(figures.mean));
  setToolTip(accessibleDescription() + (isLogarithmic_ ? tr("; logarithmic counts") : QString()));
  update();
}

QRectF ElementHistogram::plot() const {
  const QFontMetricsF metrics(textFont(10));
  const double left = metrics.horizontalAdvance(QString::number(most_, 'f', 0)) + kMargin + 4;
  const QSizeF all = unzoomed(QSizeF(size()));
  return QRectF(left, kMargin + metrics.height() / 2, std::max(1.0, all.width() - left - kMargin),
                std::max(1.0, all.height() - kFoot - kMargin - metrics.height() / 2));
}

double ElementHistogram::heightOf(double count) const {
  return isLogarithmic_ ? std::log1p(count) / std::log1p(most_) : count / most_;
}

std::vector<ElementHistogram::Label> ElementHistogram::labels() const {
  const QFontMetricsF metrics(textFont(10));
  const QRectF area = plot();
  std::vector<Label> labels;
  const auto addCount = [&](double count) {
    const double y = area.bottom() - area.height() * heightOf(count);
    const QRectF rect(0, y - metrics.height() / 2, area.left() - 4, metrics.height());
    const bool isFree = std::none_of(labels.begin(), labels.end(), [&](const Label& other) {
      return other.rect.intersects(rect);
    });
    if (isFree) labels.push_back({rect, QString::number(count, 'f', 0)});
  };
  addCount(0);
  addCount(most_);
  addCount(isLogarithmic_ ? std::round(std::sqrt(most_)) : std::round(most_ / 2));
  std::vector<Label> values;
  for (const double share : {0.0, 1.0, 0.5}) {
    const QString text = valueText(low_ * (1 - share) + high_ * share);
    const double width = metrics.horizontalAdvance(text);
    const double x = std::clamp(area.left() + area.width() * share - width / 2, 0.0,
                                std::max(0.0, area.right() + kMargin - width));
    const QRectF rect(x, area.bottom() + 3, width, metrics.height());
    const bool isFree = std::none_of(values.begin(), values.end(), [&](const Label& other) {
      return other.rect.adjusted(-4, 0, 4, 0).intersects(rect);
    });
    if (isFree) values.push_back({rect, text});
  }
  labels.insert(labels.end(), values.begin(), values.end());
  return labels;
}

void ElementHistogram::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  zoom(painter);
  const QRectF area = plot();
  painter.setPen(QPen(theme().muted, 1));
  painter.drawLine(area.bottomLeft(), area.bottomRight());
  painter.setPen(QPen(theme().accent, 1.2));
  painter.setBrush(theme().accentSoft);
  const double width = area.width() / static_cast<double>(std::max<std::size_t>(1, counts_.size()));
  for (std::size_t bin = 0; bin < counts_.size(); ++bin) {
    if (counts_[bin] == 0) continue;
    const double height = area.height() * heightOf(counts_[bin]);
    painter.drawRect(QRectF(area.left() + width * static_cast<double>(bin), area.bottom() - height,
                            width, height));
  }
  if (std::isfinite(mean_) && high_ > low_) {
    const double x = area.left() + area.width() * (mean_ - low_) / (high_ - low_);
    painter.setPen(QPen(theme().bad, 1.4, Qt::DashLine));
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
  }
  for (const auto& [rect, text] : labels()) {
    drawLine(painter, rect.adjusted(0, 0, 1, 0), text, theme().muted, textFont(10),
             Qt::AlignRight | Qt::AlignVCenter);
  }
}

}  // namespace shardlens
