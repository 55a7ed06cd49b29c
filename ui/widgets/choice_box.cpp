#include "ui/widgets/choice_box.h"

#include "ui/models/choice_model.h"
#include "ui/widgets/choice_list.h"

#include <algorithm>

namespace shardlens {

ChoiceBox::ChoiceBox(ChoiceModel& model, const QString& accessibleName, int letters) {
  setView(new ChoiceList);
  setAccessibleName(accessibleName);
  view()->setAccessibleName(accessibleName);
  setModel(&model);
  setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  setMinimumContentsLength(letters);
  setMaxVisibleItems(20);
}

// Makes the list at least as wide as the widest of some 200 sampled rows.
void ChoiceBox::showPopup() {
  constexpr int kMeasured = 200;
  const QFontMetrics metrics(view()->font());
  int widest = 0;
  for (int row = count() - 1; row >= 0; row -= std::max(count() / kMeasured, 1)) {
    widest = std::max(widest, metrics.horizontalAdvance(itemText(row)));
  }
  view()->setMinimumWidth(widest + 4 * style()->pixelMetric(QStyle::PM_ScrollBarExtent));
  // Lay out first, because the popup's height is computed from the current row height.
  view()->ensurePolished();
  view()->doItemsLayout();
  QComboBox::showPopup();
}

}  // namespace shardlens
