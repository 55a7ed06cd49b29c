#pragma once

#include <QFont>
#include <QObject>
#include <functional>

namespace shardlens {

// How large the window is: at 1, a pixel of the code is one of the screen. What is painted is
// measured as at 1, by a painter that is scaled; what a widget fixes, a font or a height, is
// multiplied. One zoom at a time, for the whole program.
class Zoom final : public QObject {
  Q_OBJECT

 public:
  static constexpr double kSmallest = 0.8;
  static constexpr double kLargest = 3;

  static Zoom& now();
  double factor() const { return factor_; }
  void set(double factor);  // the nearest that there is
  // That of a person who has not chosen one: of a system whose type is larger than desktops'
  // usually is, as much larger.
  static double ofSystem(double pixels);

  // The next sizes that a person can choose.
  double larger() const;
  double smaller() const;

 Q_SIGNALS:
  void changed();

 private:
  double factor_ = 1;
};

int zoomed(double pixels);
QFont zoomed(QFont font);

// Does it now and at each change of the zoom, as long as the object lives.
void atEachZoom(QObject* whose, const std::function<void()>& what);

}  // namespace shardlens
