#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <algorithm>
#include <ctime>

namespace shardlens {

// Measures for how long this thread's event loop was blocked, with a timer that fires whenever the
// loop is idle. Also measures the processor time of the thread in these intervals, because other
// programs of the machine lengthen the time that passes. Requires a QCoreApplication.
class EventLoopWatch {
 public:
  static constexpr double kLate = 50;  // milliseconds; a person does not notice shorter blocks

  EventLoopWatch() {
    QObject::connect(&beat_, &QTimer::timeout, &beat_, [this] { note(); });
    restart();
    beat_.start(0);
  }

  double longest() const { return longest_; }          // milliseconds that passed
  double longestWork() const { return longestWork_; }  // milliseconds of processor time
  int late() const { return late_; }                   // number of blocks longer than kLate

  // Forgets all blocks so far.
  void restart() {
    longest_ = longestWork_ = late_ = 0;
    since_.start();
    worked_ = work();
  }
  // Returns the processor time of this thread in milliseconds.
  static double work() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
  }

 private:
  // Called when the loop is idle: ends an interval and begins the next.
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
