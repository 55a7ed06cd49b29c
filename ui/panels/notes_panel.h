#pragma once

#include "ui/panels/panel.h"

class QLabel;

namespace shardlens {

// What the author of the scenario has to say about the step of the position.
class NotesPanel final : public Panel {
  Q_OBJECT

 public:
  explicit NotesPanel(QWidget* parent = nullptr);
  // Type that is read from afar.
  void setLarge(bool large);
  void setSnapshot(const Journal& journal, const Snapshot& snapshot) override;

 private:
  void useFont();

  QLabel* text_;
  bool large_ = false;
};

}  // namespace shardlens
