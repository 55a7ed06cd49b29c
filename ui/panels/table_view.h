#pragma once

#include <QTableView>

namespace shardlens {

// A quiet table: no grid, no frame, rows of text; which role says that a row is marked, and which
// one gives a cell its tone.
class QuietTable final : public QTableView {
  Q_OBJECT

 public:
  struct Roles {
    int marked = -1;
    int tone = -1;
  };

  QuietTable(const QString& name, Roles roles, QWidget* parent = nullptr);

  // As tall as its rows, so that it needs no scroll bar.
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
  void setModel(QAbstractItemModel* model) override;
};

}  // namespace shardlens
