#pragma once

#include "ui/models/breakpoints_model.h"
#include "ui/pages/sheet.h"

class QLabel;
class QPushButton;
class QTableView;

namespace shardlens {

class QueryLine;

// The breakpoints of what is open: a line to write one in, with what people often stop at, and the
// list of them, to be switched by Space or a click, edited by F2 and removed by Delete.
class BreakpointsSheet final : public Sheet {
  Q_OBJECT

 public:
  // The breakpoints outlive it.
  BreakpointsSheet(BreakpointsModel& breakpoints, QWidget* window);
  // Whose values are offered; it must live until another is set.
  void setJournal(const Journal& journal);

 protected:
  bool event(QEvent* event) override;

 private:
  void add();
  void remove();
  void showState();
  QPushButton* presets();

  BreakpointsModel& breakpoints_;
  QueryLine* line_;
  QPushButton* add_;
  QPushButton* remove_;
  QTableView* list_;
  QLabel* empty_;
};

}  // namespace shardlens
