#include "ui/widgets/try_button.h"

#include "ui/text/format.h"

namespace shardlens {

TryButton::TryButton(const QString& name) {
  setObjectName(name);
  setAccessibleName(tr("Edit program"));
  connect(this, &QPushButton::clicked, this, [this] {
    if (const auto repair = repair_) {
      Q_EMIT requested(toQString(repair->tensor), repair->placements);
    }
  });
}

void TryButton::setRepair(const std::optional<Repair>& repair, const view::PlacementWords& words) {
  repair_ = repair;
  setVisible(repair.has_value());
  if (repair) {
    setText(
        tr("Try %1 as %2").arg(toQString(repair->tensor), toQString(words.of(repair->placements))));
    setAccessibleName(tr("Edit program: %1").arg(text()));
  }
}

void TryButton::setReason(const QString& reason) {
  setEnabled(reason.isEmpty());
  setToolTip(reason);
}

}  // namespace shardlens
