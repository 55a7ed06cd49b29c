#pragma once

#include "ui/panels/panel.h"

class QLabel;
class QScrollArea;

namespace shardlens {

class BookmarksBox;

// The panel of notes: those of the scenario for the current step, and the bookmarks of the user.
class NotesPanel final : public Panel {
  Q_OBJECT

 public:
  explicit NotesPanel(QWidget* parent = nullptr);
  // Sets large type, for presentations.
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
