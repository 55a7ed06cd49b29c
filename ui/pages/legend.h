#pragma once

#include "ui/pages/sheet.h"

namespace shardlens {

// A sheet that explains the visual language: how elements, ranks, copies, partial values, masks and
// caches are drawn. The samples are drawn here, from the shared primitives of ui/widgets: change
// them with the drawing of a panel.
class Legend final : public Sheet {
  Q_OBJECT

 public:
  explicit Legend(QWidget* window);
};

}  // namespace shardlens
