#pragma once

#include "core/view/table.h"

#include <QTableView>
#include <vector>

namespace shardlens {

class TableModel;

// A quiet table: no grid, no frame, rows of text; which role says that a row is marked, which one
// gives a cell its tone, which one how much of its text is like another row's, and which one its
// icon. Tab leaves it, Up and Down move within it, and the row that they are at is framed. A click
// on a heading sorts, a third one gives the model's own order back. The current row stays it as
// long as it is shown. What is typed is for a filter.
class QuietTable final : public QTableView {
  Q_OBJECT

 public:
  struct Roles {
    int marked = -1;
    int tone = -1;
    int shared = -1;
    int icon = -1;
  };

  QuietTable(const QString& name, TableModel& model, Roles roles, QWidget* parent = nullptr);
  TableModel& rows() const { return rows_; }

  // Of something that is over: in muted colours.
  void setDimmed(bool dimmed);
  bool dimmed() const { return dimmed_; }

  // What stands in the place of rows while none is shown.
  void setEmptyText(const QString& text) { emptyText_ = text; }
  QString emptyText() const { return emptyText_; }

  // As tall as its rows, also those left out, so that it needs no scroll bar and keeps its height.
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
  void keyboardSearch(const QString& typed) override;

 Q_SIGNALS:
  void filterWanted(const QString& typed);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void keepCurrentRow();
  void findCurrentRow();

  TableModel& rows_;
  std::vector<view::Cell> current_;  // the current row, while the model is reset; empty: none
  std::size_t currentPlace_ = 0;     // and its place in the table
  QString emptyText_;
  bool dimmed_ = false;
};

}  // namespace shardlens
