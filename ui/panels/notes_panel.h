#pragma once

#include "ui/panels/panel.h"

class QLabel;

namespace shardlens {

// What the author of the scenario has to say about the step of the position.
class NotesPanel final : public Panel {
  Q_OBJECT

 public:
  explicit NotesPanel(QWidget* parent = nullptr);
  void setSnapshot(const Journal& journal, const Snapshot& snapshot) override;

 private:
  QLabel* text_;
};

}  // namespace shardlens
