#pragma once

#include "ui/models/steps_model.h"
#include "ui/panels/panel.h"

class QTreeView;

namespace shardlens {

// All events as a tree; the current one is marked, and a click or Return on another goes there.
class StepsPanel final : public Panel {
  Q_OBJECT

 public:
  explicit StepsPanel(QWidget* parent = nullptr);
  void setSnapshot(const Journal& journal, const Snapshot& snapshot) override;
  const StepsModel& model() const { return *model_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  StepsModel* model_;
  QTreeView* view_;
  EventId position_ = 0;
  EventId expanded_ = 0;  // events up to here have been unfolded once
};

}  // namespace shardlens
