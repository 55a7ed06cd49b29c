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
  // For presentations: large type, the line of the program above the note, and no bookmarks.
  void setLarge(bool large);
  // Returns the height in which the longest note of the program is whole at this width. Without a
  // program, returns the height of the other parts of the panel.
  int heightForNotes(int width) const;
  void setSnapshot(const Journal& journal, const Snapshot& snapshot) override;
  BookmarksBox& bookmarks() const { return *bookmarks_; }

 private:
  void useFont();
  void showBookmarks();

  QLabel* line_;  // "3  y = embedding(w, x)", in a presentation
  QLabel* text_;
  QScrollArea* scroll_;
  BookmarksBox* bookmarks_;
  bool large_ = false;
  const Journal* journal_ = nullptr;
};

}  // namespace shardlens
