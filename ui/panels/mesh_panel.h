#pragma once

#include "ui/panels/panel.h"
#include "ui/scenes/mesh_scene.h"

namespace shardlens {

class MeshCanvas;
class RankLine;

// The ranks on their mesh: what each is, does and holds, and the groups of the collective that runs
// or comes next. A double click leads to it.
class MeshPanel final : public Panel {
  Q_OBJECT

 public:
  explicit MeshPanel(QWidget* parent = nullptr);
  void setSnapshot(const Journal& journal, const Snapshot& snapshot) override;
  const MeshScene& scene() const;
  void askForRank();  // to go to

 Q_SIGNALS:
  void shardWanted(int rank);
  // Of events that a rank has a part in.

 protected:
  void offerAt(QMenu& menu, QPoint place) override;

 private:
  MeshCanvas* canvas_;
  RankLine* line_;
  TensorId focus_ = 0;  // the tensor of which the ranks say what they hold
};

}  // namespace shardlens
