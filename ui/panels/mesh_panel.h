#pragma once

#include "ui/panels/panel.h"
#include "ui/scenes/mesh_scene.h"

namespace shardlens {

class MeshCanvas;

// The ranks on their mesh, and the groups of the collective that runs or comes next. A double click
// leads to it.
class MeshPanel final : public Panel {
  Q_OBJECT

 public:
  explicit MeshPanel(QWidget* parent = nullptr);
  void setSnapshot(const Journal& journal, const Snapshot& snapshot) override;
  MeshScene scene() const;

 protected:
  void offerAt(QMenu& menu, QPoint place) override;

 private:
  MeshCanvas* canvas_;
};

}  // namespace shardlens
