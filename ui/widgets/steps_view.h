#pragma once

#include <QTreeView>

namespace shardlens {

// Events, a row each, as StepsModel and what lists some of its rows say them. It marks the whole
// row of the current event, the part left of the text too, and frames the row that the keyboard is
// at. That one stays in view, whatever room there is; times give way where the titles need it.
class StepsView final : public QTreeView {
  Q_OBJECT

 public:
  StepsView(const QString& name, const QString& accessibleName, QAbstractItemModel& model);

  // What stands in the place of rows while there is none.
  void setEmptyText(const QString& text);
  QString emptyText() const { return emptyText_; }
  void doItemsLayout() override;

 protected:
  bool event(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void drawRow(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;

 private:
  QString emptyText_;
  bool isRestyled_ = false;
};

}  // namespace shardlens
