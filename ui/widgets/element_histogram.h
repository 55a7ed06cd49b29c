#pragma once

#include "ui/scenes/element_scan.h"

#include <QRectF>
#include <QString>
#include <QWidget>
#include <vector>

namespace shardlens {

// A histogram of elements with their mean, from an ElementScan. The scale of the counts is
// logarithmic if one bin has far more elements than all others, as the zeros of a masked tensor.
class ElementHistogram final : public QWidget {
  Q_OBJECT

 public:
  struct Label {
    QRectF rect;  // of the text, in unzoomed pixels
    QString text;
  };

  explicit ElementHistogram(QWidget* parent = nullptr);

  // Shows the elements read so far. Copies the figures and bins. If all values are equal, there is
  // a single bar.
  void setScan(const ElementScan& scan);
  double low() const { return low_; }  // the values at the left and the right edge
  double high() const { return high_; }
  bool isLogarithmic() const { return isLogarithmic_; }
  // The labels of the axes that fit, the least and the greatest count first.
  std::vector<Label> labels() const;

  QSize minimumSizeHint() const override { return {120, 70}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QRectF plot() const;
  double heightOf(double count) const;  // share of the plot

  std::vector<double> counts_;
  double low_ = 0;
  double high_ = 1;
  double mean_ = 0;
  double most_ = 1;
  bool isLogarithmic_ = false;
};

}  // namespace shardlens
