#pragma once

class QWidget;

namespace shardlens {

// A process-wide setting: whether a step of the cursor is animated. Off by default, as pictures and
// tests need it; the main window sets the user's choice. GUI thread only.
class Motion {
 public:
  static constexpr int kDuration = 240;  // milliseconds

  static bool isEnabled();
  static void setEnabled(bool enabled);
  // Returns true if animation is enabled and the widget's style does not disable it.
  static bool isOn(const QWidget& widget);
};

}  // namespace shardlens
