#pragma once

#include "ui/panels/panel.h"

class QLabel;
class QScrollArea;

namespace shardlens {

class BookmarksBox;

// What the author of the scenario has to say about the step of the position, and what whoever looks
// at the recording noted.
class NotesPanel final : public Panel {
  Q_OBJECT

 public:
  explicit NotesPanel(QWidget* parent = nullptr);
  // Type that is read from afar.
  void setLarge(bool large);
  void setSnapshot(const Journal& journal, const Snapshot& snapshot) override;
  BookmarksBox& bookmarks() const { return *bookmarks_; }

 private:
  void useFont();

  QLabel* text_;
  QScrollArea* scroll_;
  BookmarksBox* bookmarks_;
  bool large_ = false;
};

}  // namespace shardlens
