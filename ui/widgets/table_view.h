#pragma once

#include "core/view/tables/table.h"

#include <QTableView>
#include <vector>

namespace shardlens {

class TableModel;

// A plain table of text without grid and frame. Tab leaves it, Up and Down move the framed current
// row. A click on a heading sorts, a third click restores the model's order. The current row stays
// current across model resets while it is shown. Typing emits filterRequested.
class QuietTable final : public QTableView {
  Q_OBJECT

 public:
  // The item data roles that the table reads; -1: not used.
  struct Roles {
    int marked = -1;         // bool: the row is highlighted
    int tone = -1;           // Tone of a cell
    int shared = -1;         // SharedLengths of a cell
    int icon = -1;           // icon name of a cell; see tintedIcon()
    int below = -1;          // text below that of a cell; the rows are then as high as their lines
    bool isCompact = false;  // placements are short in all cells, not only where they do not fit
  };

  // The model must outlive the table.
  QuietTable(const QString& name, TableModel& model, Roles roles, QWidget* parent = nullptr);
  TableModel& rows() const { return rows_; }

  // Draws the table in muted colours, for a state that is no longer current.
  void setDimmed(bool dimmed);
  bool dimmed() const { return dimmed_; }

  // Sets the text shown while there are no rows. Does not repaint.
  void setEmptyText(const QString& text) { emptyText_ = text; }
  QString emptyText() const { return emptyText_; }

  // Returns the height of all rows, including filtered ones, so that filtering keeps the height.
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
  void keyboardSearch(const QString& typed) override;

 Q_SIGNALS:
  void filterRequested(const QString& typed);  // empty if chosen from the menu

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  int rowHeight() const;
  void fitRows();
  void keepCurrentRow();
  void findCurrentRow();

  static constexpr int kOneLine = 25;
  static constexpr int kTwoLines = 42;

  TableModel& rows_;
  bool hasTwoLines_;
  std::vector<view::Cell> current_;  // the current row during a model reset; empty: none
  std::size_t currentPlace_ = 0;     // its place in the table, as TableModel::placeOf()
  QString emptyText_;
  bool dimmed_ = false;
};

}  // namespace shardlens
