#pragma once

#include <QChartView>
#include <vector>

class QLineSeries;
class QValueAxis;

namespace shardlens {

// A buffer's refcount over the recording as a step line: solid up to the position, dotted after
// it, with the position marked.
class RefcountChart final : public QChartView {
  Q_OBJECT

 public:
  explicit RefcountChart(QWidget* parent = nullptr);
  void setSteps(const std::vector<QPointF>& corners, double position);
  void applyTheme();

  const QLineSeries& past() const { return *past_; }
  const QLineSeries& future() const { return *future_; }

 Q_SIGNALS:
  void clicked(double position);

 protected:
  void mousePressEvent(QMouseEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void setTicks();

  double most_ = 1;
  QLineSeries* past_;
  QLineSeries* future_;
  QLineSeries* mark_;
  QValueAxis* steps_;
  QValueAxis* counts_;
};

}  // namespace shardlens
