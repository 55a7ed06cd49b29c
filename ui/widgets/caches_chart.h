#pragma once

#include <QChartView>
#include <vector>

class QLineSeries;
class QValueAxis;

namespace shardlens {

// One number of both caches over the recording: a line for the strategy cache, a dashed one for the
// plan cache, with the position marked. A click asks for the position it is at.
class CachesChart final : public QChartView {
  Q_OBJECT

 public:
  // What the number is: "entries". `most`: it cannot be more than that; 0: it can be anything.
  CachesChart(const QString& title, double most, QWidget* parent = nullptr);
  void setLines(const QList<QPointF>& strategy, const QList<QPointF>& plan);
  void setPosition(double position, double last);
  void applyTheme();
  bool isEmpty() const;

  const QLineSeries& strategy() const { return *strategy_; }
  const QLineSeries& plan() const { return *plan_; }

 Q_SIGNALS:
  void clicked(double position);

 protected:
  void mousePressEvent(QMouseEvent* event) override;

 private:
  double most_;
  double top_ = 1;
  QLineSeries* strategy_;
  QLineSeries* plan_;
  QLineSeries* mark_;
  QValueAxis* steps_;
  QValueAxis* counts_;
};

}  // namespace shardlens
