#pragma once

#include <QWidget>

namespace shardlens {

// The visual language on one sheet: how elements, ranks, copies, terms, masks and caches are drawn.
// It is drawn with what the panels draw with.
class Legend final : public QWidget {
  Q_OBJECT

 public:
  explicit Legend(QWidget* parent = nullptr);

 protected:
  void paintEvent(QPaintEvent* event) override;
};

}  // namespace shardlens
