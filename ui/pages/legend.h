#pragma once

#include "ui/pages/sheet.h"

namespace shardlens {

// A sheet that explains the visual language: how elements, ranks, copies, partial values, masks and
// caches are drawn. It uses the drawing functions of the panels.
class Legend final : public Sheet {
  Q_OBJECT

 public:
  explicit Legend(QWidget* window);

 protected:
  void paintEvent(QPaintEvent* event) override;
};

}  // namespace shardlens
