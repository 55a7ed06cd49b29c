#include "ui/widgets/steps_view.h"

#include "ui/models/steps_model.h"
#include "ui/scenes/zoom.h"
#include "ui/widgets/paint.h"
#include "ui/widgets/reveal.h"
#include "ui/widgets/steps_delegate.h"

#include <QHeaderView>
#include <QPainter>
#include <QResizeEvent>
#include <QScopedValueRollback>

namespace shardlens {
namespace {

constexpr int kRoomyWidth = 320;  // minimum width with times

}  // namespace

StepsView::StepsView(const QString& name, const QString& accessibleName,
                     QAbstractItemModel& model) {
  setObjectName(name);
  setAccessibleName(accessibleName);
  setModel(&model);
  setItemDelegate(new StepsDelegate(this));
  setSelectionMode(QAbstractItemView::NoSelection);
  setHeaderHidden(true);
  setExpandsOnDoubleClick(false);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  header()->setStretchLastSection(false);
  header()->setMinimumSectionSize(20);
  header()->setSectionResizeMode(StepsModel::Title, QHeaderView::Stretch);
  header()->setSectionResizeMode(StepsModel::Time, QHeaderView::Fixed);
  setColumnHidden(StepsModel::Note, true);  // the delegate draws it in the title's column
  atEachZoom(this, [this] {
    setIndentation(zoomed(12));
    header()->resizeSection(StepsModel::Time, zoomed(76));
    setColumnHidden(StepsModel::Time, width() < zoomed(kRoomyWidth));
    doItemsLayout();
  });
}

void StepsView::setEmptyText(const QString& text) {
  emptyText_ = text;
  viewport()->update();
}

void StepsView::doItemsLayout() {
  isRestyled_ ? scheduleDelayedItemsLayout() : QTreeView::doItemsLayout();
}

// A change of the theme causes several style changes. Their layouts are delayed and done once.
bool StepsView::event(QEvent* event) {
  const QScopedValueRollback restyled(isRestyled_, event->type() == QEvent::StyleChange);
  return QTreeView::event(event);
}

void StepsView::resizeEvent(QResizeEvent* event) {
  setColumnHidden(StepsModel::Time, width() < zoomed(kRoomyWidth));
  QTreeView::resizeEvent(event);
  if (event->size().width() != event->oldSize().width()) {
    doItemsLayout();  // the height of wrapped errors depends on the width
  }
  if (!isRestyled_) {
    reveal(*this, currentIndex());
  }
}

void StepsView::paintEvent(QPaintEvent* event) {
  QTreeView::paintEvent(event);
  if (model()->rowCount() == 0) {
    QPainter painter(viewport());
    painter.setFont(zoomed(textFont(12)));
    painter.setPen(theme().muted);
    painter.drawText(viewport()->rect().adjusted(10, 6, -10, 0), Qt::TextWordWrap, emptyText_);
  }
}

void StepsView::drawRow(QPainter* painter, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const {
  if (index.data(StepsModel::CurrentRole).toBool()) {
    painter->fillRect(option.rect, theme().accentSoft);
    painter->fillRect(QRect(option.rect.left(), option.rect.top(), 3, option.rect.height()),
                      theme().accent);
  }
  QTreeView::drawRow(painter, option, index);
  if (hasFocus() && index == currentIndex().siblingAtColumn(index.column())) {
    drawBox(*painter, QRectF(option.rect).adjusted(0, 0, -1, 0), 3, QColor(), theme().accent);
  }
}

}  // namespace shardlens
