#pragma once

#include "ui/models/program_changes.h"
#include "ui/pages/sheet.h"

#include <vector>

class QAction;
class QLabel;
class QListView;
class QScrollArea;
class QStringListModel;

namespace shardlens {

class ProgramFieldBox;
class ProgramPreview;

// The sheet to edit the program: its steps, the fields of the selected step, and a preview of the
// communication beside that of the program as it ran.
class ProgramSheet final : public Sheet {
  Q_OBJECT

 public:
  // Adds a button for each command; the last one is the primary button. `changes` and the commands
  // must outlive this sheet, which owns neither.
  ProgramSheet(ProgramChanges& changes, const QList<QAction*>& commands, QWidget* window);

  // Sets the text of the program as it ran, and its name in messages.
  void setRan(const std::string& ran, const QString& name);
  // Shows the sheet with the fields of a step, or of the whole program for -1.
  void open(int step);
  int step() const;  // the selected step; -1: the whole program
  ProgramPreview& preview() { return *preview_; }
  // Returns true if a field has an invalid text.
  bool hasMistake() const;
  void showNotation();  // redraws placements in the notation of the window

 Q_SIGNALS:
  void mistakesChanged();  // hasMistake() may have changed

 protected:
  bool event(QEvent* event) override;

 private:
  void showProgram();
  void showFields();
  void makeFields(const std::vector<ProgramField>& fields);
  void take(ProgramFieldBox* box, const QString& text);

  ProgramChanges& changes_;
  std::string ran_;
  QString name_;
  QListView* parts_;
  QStringListModel* partNames_;
  QLabel* title_;
  QScrollArea* form_;
  std::vector<ProgramFieldBox*> boxes_;
  ProgramFieldBox* typedIn_ = nullptr;  // while its text is being applied
  int shownStep_ = -2;                  // step of boxes_; -2: none yet
  ProgramPreview* preview_;
};

}  // namespace shardlens
