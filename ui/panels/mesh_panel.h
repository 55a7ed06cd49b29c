#pragma once

#include "ui/panels/panel.h"
#include "ui/scenes/mesh_scene.h"

namespace shardlens {

class MeshCanvas;
class RankLine;

// The panel of the ranks on their mesh: what each rank is, does and holds, and the groups of the
// current or next collective. A double click goes to the collective.
class MeshPanel final : public Panel {
  Q_OBJECT

 public:
  explicit MeshPanel(QWidget* parent = nullptr);
  void setSnapshot(const Journal& journal, const Snapshot& snapshot) override;
  // The drawn scene. Valid while the panel lives; setSnapshot() changes it.
  const MeshScene& scene() const;
  void openRankLine();  // opens the line to enter a rank to go to

 Q_SIGNALS:
  void shardRequested(int rank);  // requests that Shards show the shard of this rank

 protected:
  void offerAt(QMenu& menu, QPoint place) override;

 private:
  void setPrograms(const Journal& journal);

  MeshCanvas* canvas_;
  RankLine* line_;
  TensorId focus_ = 0;  // tensor whose shards the ranks show; 0: none
  // The journal whose roles are shown, and its size at that time.
  const Journal* searched_ = nullptr;
  EventId searchedSize_ = 0;
};

}  // namespace shardlens
