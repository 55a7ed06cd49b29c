#pragma once

#include "ui/models/table_model.h"
#include "ui/panels/panel.h"

class QLabel;

namespace shardlens {

class NoteBox;
class QuietTable;

// Both caches: what they hold, and what the newest look-up found out. A row leads to the last
// look-up of its entry.
class CachesPanel final : public Panel {
  Q_OBJECT

 public:
  explicit CachesPanel(QWidget* parent = nullptr);
  void setSnapshot(const Journal& journal, const Snapshot& snapshot) override;
  const TableModel& model() const { return *model_; }
  QString explanation() const;

 private:
  TableModel* model_;
  QuietTable* table_;
  QLabel* none_;
  QWidget* foot_;
  NoteBox* why_;
};

}  // namespace shardlens
