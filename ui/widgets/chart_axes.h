#pragma once

#include <QAbstractSeries>
#include <QChartView>
#include <QValueAxis>
#include <initializer_list>

namespace shardlens {

// A distance between ticks for an axis from 0 to `end`, of which there are so many at most: 1, 2 or
// 5 times a power of ten.
double tickInterval(double end, double most);

// A quiet chart of these over two axes: no legend, no frame, no room lost at its edges, lines
// across only, and no keyboard.
void prepareChart(QChartView& view, QValueAxis& across, QValueAxis& up,
                  std::initializer_list<QAbstractSeries*> all);

void setAxis(QValueAxis& axis, double low, double high, double interval);
void applyTheme(QValueAxis& axis);

}  // namespace shardlens
