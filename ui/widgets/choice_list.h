#pragma once

#include <QListView>

namespace shardlens {

// The popup list of a ChoiceBox, with up to millions of rows. All rows have the height of the
// first, so positions are computed. A QListView would lay out every row on each change of the model
// or the style, even while hidden.
class ChoiceList final : public QListView {
  Q_OBJECT

 public:
  using QListView::QListView;

  QRect visualRect(const QModelIndex& index) const override;
  QModelIndex indexAt(const QPoint& point) const override;
  void scrollTo(const QModelIndex& index, ScrollHint hint = EnsureVisible) override;
  void doItemsLayout() override;

 protected:
  int horizontalOffset() const override { return 0; }
  int verticalOffset() const override;
  QModelIndex moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers) override;
  void setSelection(const QRect& rect, QItemSelectionModel::SelectionFlags command) override;
  void updateGeometries() override;
  void paintEvent(QPaintEvent* event) override;

 private:
  int rows() const { return model() == nullptr ? 0 : model()->rowCount(rootIndex()); }
  int rowsSeen() const { return viewport()->height() / height_; }
  QModelIndex rowAt(int row) const { return model()->index(row, modelColumn(), rootIndex()); }

  int height_ = 1;  // row height
};

}  // namespace shardlens
