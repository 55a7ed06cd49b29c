#pragma once

#include "ui/scenes/zoom.h"

#include <QAbstractButton>

namespace shardlens {

// A button with two lines: a title and a description.
class LinkRow final : public QAbstractButton {
  Q_OBJECT

 public:
  LinkRow(const QString& title, const QString& about, QWidget* parent = nullptr);
  QSize sizeHint() const override { return {240, zoomed(52)}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString about_;
};

}  // namespace shardlens
