#pragma once

#include "ui/scenes/element_scan.h"

#include <QChartView>

class QAreaSeries;
class QLineSeries;
class QValueAxis;

namespace shardlens {

// A histogram of elements with their mean, from an ElementScan.
class ElementHistogram final : public QChartView {
  Q_OBJECT

 public:
  explicit ElementHistogram(QWidget* parent = nullptr);

  void setScan(const ElementScan& scan);
  const QLineSeries& outline() const { return *outline_; }  // upper edge of the bars

 private:
  void applyTheme();

  QLineSeries* outline_;
  QAreaSeries* bars_;
  QLineSeries* mean_;
  QValueAxis* values_;
  QValueAxis* counts_;
};

}  // namespace shardlens
