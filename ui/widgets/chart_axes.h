#pragma once

#include <QValueAxis>

namespace shardlens {

// A distance between ticks for an axis from 0 to `end`, of which there are so many at most: 1, 2 or
// 5 times a power of ten.
double tickInterval(double end, double most);

void setAxis(QValueAxis& axis, double low, double high, double interval);
void applyTheme(QValueAxis& axis);

}  // namespace shardlens
