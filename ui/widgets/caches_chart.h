#pragma once

#include <QChartView>
#include <vector>

class QLineSeries;
class QValueAxis;

namespace shardlens {

// A chart of one figure of both caches over the recording: a solid line for the strategy cache, a
// dashed one for the plan cache, and a mark at the position.
class CachesChart final : public QChartView {
  Q_OBJECT

 public:
  // `title` names the figure: "entries". `most` is its upper bound, or 0 if it has none.
  CachesChart(const QString& title, double most, QWidget* parent = nullptr);
  // Replaces both lines. Call setPosition() after it, which adapts the axes.
  void setLines(const QList<QPointF>& strategy, const QList<QPointF>& plan);
  void setPosition(double position, double last);  // `last`: the last position of the recording
  void applyTheme();                               // to be called after a change of the theme
  bool isEmpty() const;                            // neither line has points

  const QLineSeries& strategy() const { return *strategy_; }
  const QLineSeries& plan() const { return *plan_; }

 Q_SIGNALS:
  // `position` is under the mouse, on a left press. It may be outside the recording.
  void clicked(double position);

 protected:
  void mousePressEvent(QMouseEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void setAxes();

  double most_;
  double position_ = 0;
  double last_ = 0;
  double top_ = 1;
  QLineSeries* strategy_;
  QLineSeries* plan_;
  QLineSeries* mark_;
  QValueAxis* steps_;
  QValueAxis* counts_;
};

}  // namespace shardlens
