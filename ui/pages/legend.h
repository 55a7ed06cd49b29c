#pragma once

#include "ui/pages/sheet.h"

namespace shardlens {

// The visual language on one sheet: how elements, ranks, copies, terms, masks and caches are drawn.
// It is drawn with what the panels draw with.
class Legend final : public Sheet {
  Q_OBJECT

 public:
  explicit Legend(QWidget* window);

 protected:
  void paintEvent(QPaintEvent* event) override;
};

}  // namespace shardlens
