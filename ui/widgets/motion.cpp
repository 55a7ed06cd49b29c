#include "ui/widgets/motion.h"

#include <QStyle>
#include <QWidget>

namespace shardlens {
namespace {

bool& wantedNow() {
  static bool wanted = false;
  return wanted;
}

}  // namespace

bool Motion::isWanted() { return wantedNow(); }
void Motion::want(bool wanted) { wantedNow() = wanted; }

bool Motion::isOn(const QWidget& widget) {
  return isWanted() &&
         widget.style()->styleHint(QStyle::SH_Widget_Animation_Duration, nullptr, &widget) > 0;
}

}  // namespace shardlens
