#pragma once

#include <QAbstractSeries>
#include <QChartView>
#include <QValueAxis>
#include <initializer_list>

namespace shardlens {

// Returns the distance between ticks of an axis from 0 to `end`, 1, 2 or 5 times a power of ten, so
// that there are at most `most` intervals. At least 1. Requires `most` > 0.
double tickInterval(double end, double most);

// Returns how many intervals of the horizontal axis from 0 to `end` have room for their labels,
// from 1 to 6. A chart elides a label without room, and an elided number is a wrong one.
double intervalsWithLabels(const QChartView& view, double end);

// Sets up a plain chart of the series over two axes: no legend, frame or margins, horizontal grid
// lines only, no keyboard focus.
void prepareChart(QChartView& view, QValueAxis& across, QValueAxis& up,
                  std::initializer_list<QAbstractSeries*> all);

// Sets the range and the distance between ticks.
void setAxis(QValueAxis& axis, double low, double high, double interval);
void applyTheme(QValueAxis& axis);  // sets the fonts and colours of theme() at the current zoom

}  // namespace shardlens
