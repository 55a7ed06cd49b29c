#pragma once

#include <QTreeView>

namespace shardlens {

// A tree view of events, over StepsModel or a list of some of its rows. It highlights the whole row
// of the current event and frames the row of the keyboard cursor. When resized it keeps that row
// visible, and it hides the times if it is narrow.
class StepsView final : public QTreeView {
  Q_OBJECT

 public:
  // Does not own the model, which must outlive the view and have StepsModel's columns and roles.
  StepsView(const QString& name, const QString& accessibleName, QAbstractItemModel& model);

  // Sets the text shown while there are no rows.
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
