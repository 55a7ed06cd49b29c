#pragma once

#include <QTreeView>

namespace shardlens {

class ComparedStepsModel;

// A tree of the events of two recordings, side by side. The model must outlive it.
class ComparedTree final : public QTreeView {
  Q_OBJECT

 public:
  explicit ComparedTree(ComparedStepsModel& model);

 protected:
  void drawRow(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
};

}  // namespace shardlens
