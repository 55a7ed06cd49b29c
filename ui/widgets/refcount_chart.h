#pragma once

#include <QChartView>
#include <vector>

class QLineSeries;
class QValueAxis;

namespace shardlens {

// A chart of a buffer's refcount over the recording: a step line, solid up to the position and
// dotted after it, and a mark at the position.
class RefcountChart final : public QChartView {
  Q_OBJECT

 public:
  explicit RefcountChart(QWidget* parent = nullptr);
  // `corners` as refcountSteps() returns them; empty: no line.
  void setSteps(const std::vector<QPointF>& corners, double position);
  void applyTheme();  // to be called after a change of the theme

  const QLineSeries& past() const { return *past_; }
  const QLineSeries& future() const { return *future_; }

 Q_SIGNALS:
  // `position` is under the mouse, on a left press. It may be outside the recording.
  void clicked(double position);

 protected:
  void mousePressEvent(QMouseEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void setTicks();

  double end_ = 1;
  double most_ = 1;
  QLineSeries* past_;
  QLineSeries* future_;
  QLineSeries* mark_;
  QValueAxis* steps_;
  QValueAxis* counts_;
};

}  // namespace shardlens
