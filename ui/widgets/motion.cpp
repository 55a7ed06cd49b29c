#include "ui/widgets/motion.h"

#include <QStyle>
#include <QWidget>

namespace shardlens {
namespace {

bool& setting() {
  static bool enabled = false;
  return enabled;
}

}  // namespace

bool Motion::isEnabled() { return setting(); }
void Motion::setEnabled(bool enabled) { setting() = enabled; }

bool Motion::isOn(const QWidget& widget) {
  return isEnabled() &&
         widget.style()->styleHint(QStyle::SH_Widget_Animation_Duration, nullptr, &widget) > 0;
}

}  // namespace shardlens
