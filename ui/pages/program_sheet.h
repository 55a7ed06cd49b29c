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

// The program, to be changed: its steps, the fields of the chosen one, and what it would send then
// beside what it sent as it ran.
class ProgramSheet final : public Sheet {
  Q_OBJECT

 public:
  // The changes outlive it; the commands get a button each.
  ProgramSheet(ProgramChanges& changes, const QList<QAction*>& commands, QWidget* window);

  // The program as it ran, and how it is called.
  void setRan(const std::string& ran, const QString& name);
  // Brings it up with a step's fields; those of the whole for -1.
  void open(int step);
  int step() const;
  ProgramPreview& preview() { return *preview_; }
  // Whether what is typed in some field means nothing.
  bool hasMistake() const;

 Q_SIGNALS:
  void mistakesChanged();

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
  ProgramFieldBox* typedIn_ = nullptr;  // while what was typed there is taken in
  int shownStep_ = -2;                  // whose fields there are; -2: none yet
  ProgramPreview* preview_;
};

}  // namespace shardlens
