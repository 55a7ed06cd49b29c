#pragma once

#include <QFont>
#include <QObject>
#include <functional>

namespace shardlens {

// The zoom of the user interface, one for the whole program. At 1, a pixel in the code is a pixel
// of the screen. Painting code uses measures at 1 with a scaled painter; fixed sizes of widgets,
// such as fonts and heights, are multiplied by zoomed().
class Zoom final : public QObject {
  Q_OBJECT

 public:
  static constexpr double kSmallest = 0.8;
  static constexpr double kLargest = 3;

  static Zoom& now();  // the only object; GUI thread only
  double factor() const { return factor_; }
  // Clamps to kSmallest..kLargest; NaN gives 1. Emits changed() if the factor differs.
  void set(double factor);
  // Returns the default zoom for a system font of this size in pixels: 1 for usual sizes (11 to
  // 15), else in proportion to the size.
  static double ofSystem(double pixels);

  // Return the next zoom step up and down; the limit at the last step.
  double larger() const;
  double smaller() const;

 Q_SIGNALS:
  void changed();

 private:
  double factor_ = 1;
};

// Return a size, rounded to whole pixels, and a font multiplied by the zoom.
int zoomed(double pixels);
QFont zoomed(QFont font);

// Calls `apply` now and on each change of the zoom, as long as `whose` lives.
void atEachZoom(QObject* whose, const std::function<void()>& apply);

}  // namespace shardlens
