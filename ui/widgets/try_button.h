#pragma once

#include "core/query/problems/problems.h"
#include "core/view/words/placement_words.h"

#include <QPushButton>
#include <optional>

namespace shardlens {

// A button that offers to run the program again with another placement of a tensor: "Try w as
// S(0)". Hidden without a repair.
class TryButton final : public QPushButton {
  Q_OBJECT

 public:
  explicit TryButton(const QString& name);
  void setRepair(const std::optional<Repair>& repair, const view::PlacementWords& words);
  // Disables the button if the program cannot run again. `reason` is then the tooltip.
  void setReason(const QString& reason);

 Q_SIGNALS:
  void requested(const QString& tensor, const Placements& placements);

 private:
  std::optional<Repair> repair_;
};

}  // namespace shardlens
