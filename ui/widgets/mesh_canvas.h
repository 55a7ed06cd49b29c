#pragma once

#include "ui/scenes/magnifier.h"
#include "ui/scenes/mesh_scene.h"

#include <QAbstractScrollArea>
#include <optional>

class QPainter;

namespace shardlens {

// Draws the ranks on their mesh, and under them what the collective is. It lays out what can be
// seen, whenever that changes. Arrows go from rank to rank, Plus, Minus and 0 magnify, digits begin
// the number of a rank to go to, Return asks to be shown what the rank holds.
class MeshCanvas final : public QAbstractScrollArea {
  Q_OBJECT

 public:
  explicit MeshCanvas(QWidget* parent = nullptr);

  // The journal must live until another is set.
  void setSnapshot(const Journal& journal, const Snapshot& snapshot);
  const MeshScene& scene() const { return scene_; }
  EventId collective() const;  // that is shown; 0: none is
  // What a rank is and does, in words, a line each.
  QString words(int rank) const;
  // That stands at a place of the viewport; none where none does.
  std::optional<int> rankAt(QPointF place) const;

  // The one at the keyboard, which is marked; none before somebody went to one.
  std::optional<int> current() const { return current_; }
  int ranks() const;  // of the mesh
  // Scrolls to it and marks it. It must be one of them.
  void goTo(int rank);
  void magnify(int steps);  // see Magnifier
  double magnified() const { return magnifier_.factor(); }
  QVariant inputMethodQuery(Qt::InputMethodQuery query) const override;

 Q_SIGNALS:
  void collectiveWanted();
  void shardWanted(int rank);
  void numberTyped(const QString& digits);

 protected:
  bool event(QEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;
  void keyPressEvent(QKeyEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  QSizeF area() const;
  void layOut();
  void scrollTo(int rank);
  void tellCurrent();
  QString coordinateText(int rank) const;
  void drawGroups(QPainter& painter) const;
  void drawFoot(QPainter& painter) const;

  const Journal* journal_ = nullptr;
  Snapshot snapshot_;
  MeshScene scene_;
  Magnifier magnifier_;
  std::optional<int> current_;
};

}  // namespace shardlens
