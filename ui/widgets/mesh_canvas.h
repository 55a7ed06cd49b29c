#pragma once

#include "core/trace/merge/program_roles.h"
#include "ui/scenes/magnifier.h"
#include "ui/scenes/mesh_scene.h"

#include <QAbstractScrollArea>
#include <optional>
#include <utility>
#include <vector>

class QPainter;

namespace shardlens {

// Draws the ranks on their mesh, with the current or next collective below. Only the visible part
// is laid out, on each change. Arrows move from rank to rank, Plus, Minus and 0 magnify, digits
// begin a rank number (numberTyped), Return emits shardRequested.
class MeshCanvas final : public QAbstractScrollArea {
  Q_OBJECT

 public:
  explicit MeshCanvas(QWidget* parent = nullptr);

  // Shows a position. The journal must live until another is set.
  void setSnapshot(const Journal& journal, const Snapshot& snapshot);
  const MeshScene& scene() const { return scene_; }
  EventId collective() const;  // the current or next collective; 0: none
  // Sets the roles of the ranks by their programs, which words() shows.
  void setPrograms(std::vector<ProgramRole> roles) { roles_ = std::move(roles); }
  const std::vector<ProgramRole>& programs() const { return roles_; }
  // Describes a rank: its coordinates, role, group, shard, device and program, one per line.
  // Requires setSnapshot().
  QString words(int rank) const;
  // Returns the rank at a point of the viewport, or nullopt.
  std::optional<int> rankAt(QPointF place) const;

  // Returns the marked rank at the keyboard cursor; nullopt until one is chosen.
  std::optional<int> current() const { return current_; }
  int ranks() const;  // number of ranks of the mesh; 0: no mesh is known
  // Makes a rank current and scrolls to it. Requires 0 <= `rank` < ranks().
  void goTo(int rank);
  void magnify(int steps);  // see Magnifier::zoom()
  double magnified() const { return magnifier_.factor(); }
  QVariant inputMethodQuery(Qt::InputMethodQuery query) const override;

 Q_SIGNALS:
  void collectiveRequested();               // a double click while a collective is shown
  void shardRequested(int rank);            // Return; not emitted without a current rank
  void numberTyped(const QString& digits);  // the first digit of a rank number

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
  // Scrolls to a rank that is missing in the current event, or to one of its ranks unless one is
  // visible.
  void followEvent();
  void updateAccessibleCurrent();
  QString coordinateText(int rank) const;
  void drawGroups(QPainter& painter) const;
  void drawFoot(QPainter& painter) const;

  const Journal* journal_ = nullptr;
  Snapshot snapshot_;
  MeshScene scene_;
  Magnifier magnifier_;
  std::optional<int> current_;
  std::vector<ProgramRole> roles_;
};

}  // namespace shardlens
