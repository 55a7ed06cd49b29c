#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <algorithm>
#include <ctime>

namespace shardlens {

// Notes for how long the event loop of this thread did not come back, since it is watched: its
// beat comes whenever there is nothing else to do. On a machine that others use too, what the
// thread worked meanwhile tells more than the time that passed.
class EventLoopWatch {
 public:
  static constexpr double kLate = 50;  // milliseconds, in which a person notices nothing

  EventLoopWatch() {
    QObject::connect(&beat_, &QTimer::timeout, &beat_, [this] { note(); });
    restart();
    beat_.start(0);
  }

  double longest() const { return longest_; }          // milliseconds
  double longestWork() const { return longestWork_; }  // likewise, of this thread
  int late() const { return late_; }                   // how often it took longer than kLate

  void restart() {
    longest_ = longestWork_ = late_ = 0;
    since_.start();
    worked_ = work();
  }
  // Milliseconds that this thread has worked.
  static double work() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
  }

 private:
  void note() {
    const double away = static_cast<double>(since_.nsecsElapsed()) / 1e6;
    const double now = work();
    longest_ = std::max(longest_, away);
    longestWork_ = std::max(longestWork_, now - worked_);
    late_ += away > kLate ? 1 : 0;
    worked_ = now;
    since_.restart();
  }

  QTimer beat_;
  QElapsedTimer since_;
  double worked_ = 0;
  double longest_ = 0;
  double longestWork_ = 0;
  int late_ = 0;
};

}  // namespace shardlens
