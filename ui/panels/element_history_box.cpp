#include "ui/panels/element_history_box.h"

#include "core/query/history/element_words.h"
#include "ui/models/table_model.h"
#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"
#include "ui/text/format.h"
#include "ui/widgets/filter_line.h"
#include "ui/widgets/row_actions.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/window_notation.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace shardlens {

ElementHistoryBox::ElementHistoryBox(QWidget* parent)
    : QWidget(parent),
      title_(new QLabel),
      model_(new TableModel(this)),
      table_(new QuietTable(QStringLiteral("elementHistory"), *model_,
                            {.marked = TableModel::MarkedRole})) {
  table_->setAccessibleName(tr("History of the element"));
  model_->setTable(elementHistoryTable(Journal(), {}, {}, 0));
  auto* columns = table_->horizontalHeader();
  columns->setSectionResizeMode(QHeaderView::ResizeToContents);
  columns->setSectionResizeMode(ElementHistoryColumn::By, QHeaderView::Stretch);
  columns->setSectionResizeMode(ElementHistoryColumn::Values, QHeaderView::Stretch);
  title_->setObjectName(QStringLiteral("historyTitle"));
  atEachZoom(title_, [label = title_] { label->setFont(zoomed(textFont(11, Weight::Bold))); });
  auto* closing = new QPushButton(tr("Close"));
  closing->setObjectName(QStringLiteral("closeHistory"));
  closing->setAccessibleName(tr("Close the element's history"));
  closing->setFlat(true);
  atEachZoom(closing, [closing] { closing->setFont(zoomed(textFont(11))); });
  connect(closing, &QPushButton::clicked, this, &ElementHistoryBox::close);
  connect(&reading_, &QTimer::timeout, this, &ElementHistoryBox::readMore);
  auto* top = new QHBoxLayout;
  top->addWidget(title_, 1);
  top->addWidget(closing);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(2);
  column->addLayout(top);
  column->addWidget(new FilterLine(*table_));
  column->addWidget(table_, 1);
  hide();
}

void ElementHistoryBox::open(const Journal& journal, const TensorElement& element,
                             EventId position) {
  if (search_ == nullptr || journal_ != &journal || element_.tensor != element.tensor) {
    model_->setTable(elementHistoryTable(Journal(), {}, {}, 0));
    search_ = std::make_unique<ElementHistorySearch>(journal, element.tensor);
  }
  journal_ = &journal;
  element_ = element;
  title_->setText(
      tr("History of %1%2")
          .arg(toQString(journal.tensor(element.tensor).name), toQString(toText(element.index))));
  show();
  setPosition(position);
  Q_EMIT openedOrClosed(/*hadFocus=*/false);
}

void ElementHistoryBox::close() {
  reading_.stop();
  model_->setTable(elementHistoryTable(Journal(), {}, {}, 0));
  search_.reset();
  const bool hadFocus = isAncestorOf(QApplication::focusWidget());
  hide();
  Q_EMIT openedOrClosed(hadFocus);
}

void ElementHistoryBox::setPosition(EventId position) {
  position_ = position;
  if (search_ != nullptr) {
    readMore();
  }
}

void ElementHistoryBox::readMore() {
  constexpr EventId kAtATime = 50000;  // events, a few milliseconds
  if (search_->advance(kAtATime)) {
    reading_.start(0);
  } else {
    reading_.stop();
  }
  model_->setTable(elementHistoryTable(*journal_, search_->found(), element_.index, position_,
                                       notationOf(*this)));
  if (const int row = model_->markedRow(); row >= 0 && !table_->hasFocus()) {
    table_->scrollTo(model_->index(row, 0));
  }
}

void ElementHistoryBox::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) {
    return close();
  }
  QWidget::keyPressEvent(event);
}

}  // namespace shardlens
