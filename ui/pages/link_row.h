#pragma once

#include "ui/scenes/zoom.h"

#include <QAbstractButton>
#include <vector>

class QPainter;

namespace shardlens {

// A button with a title and a description, and optionally a picture of a mesh at the left and a
// second, wrapped description.
class LinkRow final : public QAbstractButton {
  Q_OBJECT

 public:
  LinkRow(const QString& title, const QString& about, QWidget* parent = nullptr);
  // Sets the shape of the mesh; empty: no picture. Draws at most 64 ranks.
  void setMesh(const std::vector<int>& mesh);
  void setDetail(const QString& detail);  // the second description; empty: none
  QSize sizeHint() const override { return {240, zoomed(detail_.isEmpty() ? 52 : 84)}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void drawMesh(QPainter& painter, const QRectF& area) const;

  QString about_;
  QString detail_;
  std::vector<int> mesh_;
};

}  // namespace shardlens
