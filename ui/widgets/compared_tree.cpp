#include "ui/widgets/compared_tree.h"

#include "ui/models/compared_steps_model.h"
#include "ui/scenes/zoom.h"
#include "ui/widgets/tones.h"

#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>

namespace shardlens {
namespace {

class TonedDelegate final : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    const auto tone = static_cast<Tone>(index.data(ComparedStepsModel::ToneRole).toInt());
    option->palette.setColor(QPalette::Text, toneColour(tone));
  }
};

}  // namespace

ComparedTree::ComparedTree(ComparedStepsModel& model) {
  setObjectName(QStringLiteral("comparedSteps"));
  setAccessibleName(tr("Events of both recordings"));
  setModel(&model);
  setItemDelegate(new TonedDelegate(this));
  setSelectionMode(QAbstractItemView::NoSelection);
  setUniformRowHeights(true);
  setAllColumnsShowFocus(true);
  setFrameShape(QFrame::NoFrame);
  header()->setStretchLastSection(true);
  header()->setSectionResizeMode(QHeaderView::Stretch);
  atEachZoom(this, [this] {
    setFont(zoomed(textFont(12)));
    setIndentation(zoomed(12));
  });
}

void ComparedTree::drawRow(QPainter* painter, const QStyleOptionViewItem& option,
                           const QModelIndex& index) const {
  if (index.siblingAtColumn(0) == currentIndex().siblingAtColumn(0)) {
    painter->fillRect(option.rect, theme().accentSoft);
  }
  QTreeView::drawRow(painter, option, index);
}

}  // namespace shardlens
