#include "ui/panels/steps_panel.h"

#include "ui/text/format.h"
#include "ui/widgets/paint.h"
#include "ui/widgets/row_actions.h"
#include "ui/widgets/steps_delegate.h"

#include <QHeaderView>
#include <QPainter>
#include <QResizeEvent>
#include <QScopedValueRollback>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace shardlens {
namespace {

constexpr EventId kMostUnfolded = 5000;

// Marks the whole row of the current event, the part left of the text too, and frames the row that
// the keyboard is at. That one stays in view, whatever room there is.
class StepsView final : public QTreeView {
 public:
  using QTreeView::QTreeView;

  void doItemsLayout() override {
    isRestyled_ ? scheduleDelayedItemsLayout() : QTreeView::doItemsLayout();
  }

 protected:
  // A change of the look comes in several changes of the style: their layout is made once.
  bool event(QEvent* event) override {
    const QScopedValueRollback restyled(isRestyled_, event->type() == QEvent::StyleChange);
    return QTreeView::event(event);
  }
  void resizeEvent(QResizeEvent* event) override {
    QTreeView::resizeEvent(event);
    if (event->size().width() != event->oldSize().width()) {
      doItemsLayout();  // errors are as high as the width makes them
    }
    scrollTo(currentIndex());
  }
  void drawRow(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
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

 private:
  bool isRestyled_ = false;
};

}  // namespace

StepsPanel::StepsPanel(QWidget* parent)
    : Panel(parent), model_(new StepsModel(this)), view_(new StepsView(this)) {
  view_->setObjectName(QStringLiteral("stepsView"));
  view_->setAccessibleName(tr("Events of the run"));
  view_->setModel(model_);
  view_->setItemDelegate(new StepsDelegate(view_));
  view_->setSelectionMode(QAbstractItemView::NoSelection);
  view_->setHeaderHidden(true);
  view_->setIndentation(12);
  view_->setExpandsOnDoubleClick(false);
  view_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  view_->header()->setStretchLastSection(false);
  view_->header()->setMinimumSectionSize(20);
  view_->header()->setSectionResizeMode(StepsModel::Title, QHeaderView::Stretch);
  view_->header()->setSectionResizeMode(StepsModel::Time, QHeaderView::Fixed);
  view_->header()->resizeSection(StepsModel::Time, 76);
  view_->setColumnHidden(StepsModel::Note, true);  // it shares the title's
  connect(model_, &StepsModel::modelReset, this, [this] { expanded_ = 0; });
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(1, 6, 1, 6);
  layout->addWidget(view_);
  view_->viewport()->installEventFilter(this);
  setFocusProxy(view_);
  offerCopying(*view_);
  onRowChosen(*view_,
              [this](const QModelIndex& index) { Q_EMIT positionWanted(model_->eventOf(index)); });
}

// Times give way where the titles need the room.
bool StepsPanel::eventFilter(QObject* watched, QEvent* event) {
  constexpr int kRoomy = 320;
  if (event->type() == QEvent::Resize) {
    view_->setColumnHidden(StepsModel::Time, width() < kRoomy);
  }
  return Panel::eventFilter(watched, event);
}

void StepsPanel::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  model_->setSnapshot(journal, snapshot);
  if (expanded_ == 0 && journal.size() <= kMostUnfolded) {
    view_->expandAll();
  } else {
    for (EventId id = expanded_ + 1; id <= std::min(journal.size(), kMostUnfolded); ++id) {
      view_->expand(model_->indexOf(id));
    }
  }
  expanded_ = journal.size();
  const QModelIndex row = model_->indexOf(snapshot.position);
  // A run that goes on leaves the view to who reads in it.
  const bool moved = std::exchange(position_, snapshot.position) != snapshot.position;
  if (moved || !view_->currentIndex().isValid()) {
    view_->setCurrentIndex(row);
  }
  if (moved) {
    row.isValid() ? view_->scrollTo(row) : view_->scrollToTop();
  }
  view_->viewport()->update();
  header()->setNote(journal.size() == 0
                        ? QString()
                        : tr("%1 · %2 put in")
                              .arg(countText(journal.size(), tr("event"), tr("events")),
                                   bytesText(snapshot.bytesMoved)));
}

}  // namespace shardlens
