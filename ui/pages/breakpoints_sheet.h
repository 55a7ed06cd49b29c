#pragma once

#include "ui/models/breakpoints_model.h"
#include "ui/pages/sheet.h"

class QLabel;
class QPushButton;
class QTableView;

namespace shardlens {

class QueryLine;

// The sheet of breakpoints: a line to enter a query, a menu of common ones, and the list. Space or
// a click switches a breakpoint, F2 edits it, Delete removes it.
class BreakpointsSheet final : public Sheet {
  Q_OBJECT

 public:
  // `breakpoints` must outlive this sheet.
  BreakpointsSheet(BreakpointsModel& breakpoints, QWidget* window);
  // Sets the journal whose values the query line completes. It must live until the next call.
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
