#pragma once

class QWidget;

namespace shardlens {

// Whether a short motion shows what a step moves. The whole program has one answer: no, until
// somebody wants it; pictures and tests do not.
class Motion {
 public:
  static constexpr int kDuration = 240;  // milliseconds

  static bool isWanted();
  static void want(bool wanted);
  // Also that the system does not ask for less motion.
  static bool isOn(const QWidget& widget);
};

}  // namespace shardlens
