#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <algorithm>

namespace shardlens {

// Notes for how long the event loop of this thread did not come back, since it is watched: its
// beat comes whenever there is nothing else to do.
class EventLoopWatch {
 public:
  static constexpr double kLate = 50;  // milliseconds, in which a person notices nothing

  EventLoopWatch() {
    QObject::connect(&beat_, &QTimer::timeout, &beat_, [this] { note(); });
    since_.start();
    beat_.start(0);
  }

  double longest() const { return longest_; }  // milliseconds
  int late() const { return late_; }           // how often it took longer than kLate

 private:
  void note() {
    const double away = static_cast<double>(since_.nsecsElapsed()) / 1e6;
    longest_ = std::max(longest_, away);
    late_ += away > kLate ? 1 : 0;
    since_.restart();
  }

  QTimer beat_;
  QElapsedTimer since_;
  double longest_ = 0;
  int late_ = 0;
};

}  // namespace shardlens
