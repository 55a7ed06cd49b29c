#include "ui/panels/all_buffers_box.h"

#include "ui/models/table_model.h"
#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"
#include "ui/text/empty_journal.h"
#include "ui/widgets/filter_line.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/window_notation.h"

#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QVBoxLayout>

namespace shardlens {
namespace {

using BufferColumn = view::BuffersTable::Column;
using EventColumn = view::BufferEventsTable::Column;

constexpr int kRoomForCounts = 540;

}  // namespace

AllBuffersBox::AllBuffersBox(QWidget* parent)
    : QWidget(parent),
      buffersModel_(new TableModel(this)),
      eventsModel_(new TableModel(this)),
      buffers_(new QuietTable(QStringLiteral("buffersView"), *buffersModel_,
                              {.marked = TableModel::MarkedRole, .tone = TableModel::ToneRole})),
      events_(new QuietTable(QStringLiteral("bufferEventsView"), *eventsModel_,
                             {.marked = TableModel::MarkedRole})),
      title_(new QLabel) {
  setObjectName(QStringLiteral("allBuffersBox"));
  buffers_->setAccessibleName(tr("Mask buffers"));
  events_->setAccessibleName(tr("Events of the selected mask buffer"));
  events_->setEmptyText(tr("No buffer selected."));
  buffersModel_->setTable(view::buffersTable(emptyJournal(), {}, {}));
  eventsModel_->setTable(view::bufferEventsTable(emptyJournal(), {}, 0));
  auto* columns = buffers_->horizontalHeader();
  columns->setSectionResizeMode(QHeaderView::ResizeToContents);
  columns->setSectionResizeMode(BufferColumn::Holders, QHeaderView::Stretch);
  auto* ofEvents = events_->horizontalHeader();
  ofEvents->setSectionResizeMode(QHeaderView::ResizeToContents);
  ofEvents->setSectionResizeMode(EventColumn::Inside, QHeaderView::Stretch);
  title_->setObjectName(QStringLiteral("bufferEventsTitle"));
  atEachZoom(title_, [title = title_] { title->setFont(zoomed(textFont(11, Weight::Bold))); });
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  layout->addWidget(new FilterLine(*buffers_));
  layout->addWidget(buffers_, 3);
  layout->addWidget(title_);
  layout->addWidget(events_, 2);
  connect(buffers_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          &AllBuffersBox::showEvents);
}

void AllBuffersBox::setSnapshot(const Journal& journal, const Snapshot& snapshot,
                                const view::BufferAlarm& alarm) {
  journal_ = &journal;
  snapshot_ = snapshot;
  buffersModel_->setTable(view::buffersTable(journal, snapshot, alarm));
  if (const int row = buffersModel_->markedRow(); row >= 0) {
    buffers_->setCurrentIndex(buffersModel_->index(row, 0));
    // Scrolls again after the layout has settled.
    QMetaObject::invokeMethod(
        this, [this] { buffers_->scrollTo(buffers_->currentIndex()); }, Qt::QueuedConnection);
  }
  showEvents();
}

// Hides the counts if there is little room, because the events table contains them.
void AllBuffersBox::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  for (const BufferColumn column :
       {BufferColumn::Made, BufferColumn::Hits, BufferColumn::Applied, BufferColumn::Released}) {
    buffers_->setColumnHidden(column, width() < zoomed(kRoomForCounts));
  }
  buffers_->scrollTo(buffers_->currentIndex());
}

void AllBuffersBox::showEvents() {
  if (journal_ == nullptr) {
    return;
  }
  const int row = buffers_->currentIndex().row();
  const BufferId id = row < 0 ? 0 : snapshot_.buffers[buffersModel_->placeOf(row)].id;
  title_->setText(id == 0 ? QString() : tr("Events of #%1").arg(id));
  eventsModel_->setTable(view::bufferEventsTable(*journal_, snapshot_, id, notationOf(*this)));
}

}  // namespace shardlens
