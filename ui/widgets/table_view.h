#pragma once

#include <QTableView>

namespace shardlens {

// A quiet table: no grid, no frame, rows of text; which role says that a row is marked, which one
// gives a cell its tone, and which one how much of its text is like another row's. Tab leaves it,
// Up and Down move within it, and the row that they are at is framed. A click on a heading sorts, a
// third one gives the model's own order back.
class QuietTable final : public QTableView {
  Q_OBJECT

 public:
  struct Roles {
    int marked = -1;
    int tone = -1;
    int shared = -1;
  };

  QuietTable(const QString& name, Roles roles, QWidget* parent = nullptr);

  // Of something that is over: in muted colours.
  void setDimmed(bool dimmed);
  bool dimmed() const { return dimmed_; }

  // As tall as its rows, so that it needs no scroll bar.
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
  void setModel(QAbstractItemModel* model) override;

 private:
  bool dimmed_ = false;
};

}  // namespace shardlens
