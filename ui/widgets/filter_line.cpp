#include "ui/widgets/filter_line.h"

#include "ui/models/table_model.h"
#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"
#include "ui/text/format.h"
#include "ui/widgets/table_view.h"

#include <QAbstractButton>
#include <QFocusEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QShortcut>

namespace shardlens {
namespace {

QStringList wordsOf(const QString& text) {
  return text.simplified().split(u' ', Qt::SkipEmptyParts);
}

// Returns true for a loss of focus, except to a menu or another window, because the focus returns
// from there.
bool isLeft(const QEvent& event) {
  if (event.type() != QEvent::FocusOut) {
    return false;
  }
  const Qt::FocusReason reason = static_cast<const QFocusEvent&>(event).reason();
  return reason != Qt::PopupFocusReason && reason != Qt::ActiveWindowFocusReason;
}

}  // namespace

FilterLine::FilterLine(QuietTable& table)
    : table_(table),
      words_(new QLineEdit),
      count_(new QLabel),
      escape_(new QShortcut(Qt::Key_Escape, &table, this, &FilterLine::end, Qt::WidgetShortcut)) {
  words_->setObjectName(table.objectName() + QStringLiteral("Filter"));
  words_->setAccessibleName(tr("Filter: %1").arg(table.accessibleName()));
  words_->setPlaceholderText(tr("Filter"));
  words_->setClearButtonEnabled(true);
  words_->findChild<QAbstractButton*>()->setAccessibleName(tr("Clear the filter"));
  count_->setObjectName(words_->objectName() + QStringLiteral("Count"));
  atEachZoom(this, [this] {
    words_->setFont(zoomed(textFont(11)));
    words_->setFixedHeight(zoomed(24));
    count_->setFont(zoomed(textFont(11)));
  });
  count_->setForegroundRole(kMutedRole);
  auto* line = new QHBoxLayout(this);
  line->setContentsMargins(6, 0, 6, 0);
  line->setSpacing(8);
  line->addWidget(words_, 1);
  line->addWidget(count_);
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  setFocusProxy(words_);
  hide();
  escape_->setEnabled(false);

  new QShortcut(Qt::Key_Escape, words_, this, &FilterLine::end, Qt::WidgetShortcut);
  for (const int key : {Qt::Key_Return, Qt::Key_Enter, Qt::Key_Down}) {
    new QShortcut(key, words_, &table_, qOverload<>(&QWidget::setFocus), Qt::WidgetShortcut);
  }
  connect(words_, &QLineEdit::textChanged, this, &FilterLine::filter);
  connect(&table_, &QuietTable::filterRequested, this, &FilterLine::open);
  connect(&table_.rows(), &QAbstractItemModel::modelReset, this, &FilterLine::count);
  words_->installEventFilter(this);
  table_.installEventFilter(this);
}

bool FilterLine::openIn(const QWidget& window) {
  FilterLine* first = nullptr;
  for (FilterLine* line : window.findChildren<FilterLine*>()) {
    if (line->table_.hasFocus() || line->words_->hasFocus()) {
      first = line;
      break;
    }
    if (first == nullptr && !line->table_.visibleRegion().isEmpty()) {
      first = line;
    }
  }
  if (first != nullptr) {
    first->open();
  }
  return first != nullptr;
}

void FilterLine::open(const QString& typed) {
  setOpen(true);
  words_->setFocus(Qt::ShortcutFocusReason);
  if (typed.isEmpty()) {
    words_->selectAll();
  } else {
    words_->setText(words_->text() + typed);
  }
}

void FilterLine::end() {
  words_->clear();
  table_.setFocus(Qt::ShortcutFocusReason);
  setOpen(false);
}

void FilterLine::setOpen(bool open) {
  open_ = open;
  escape_->setEnabled(open);
  follow();
}

void FilterLine::follow() {
  const bool seen = open_ && !table_.isHidden();
  if (seen == isHidden()) {
    setVisible(seen);
    Q_EMIT visibilityChanged();
  }
}

void FilterLine::filter() {
  const QStringList words = wordsOf(words_->text());
  table_.setEmptyText(tr("No row contains “%1”").arg(words.join(tr("” and “"))));
  table_.rows().setFilter(rowsWith(words));
  count();
}

void FilterLine::count() {
  const bool filters = !wordsOf(words_->text()).isEmpty();
  const TableModel& rows = table_.rows();
  count_->setText(filters ? tr("%1 of %2").arg(rows.rowCount()).arg(rows.allRows()) : QString());
}

bool FilterLine::eventFilter(QObject* watched, QEvent* event) {
  if (watched == words_ && isLeft(*event) && wordsOf(words_->text()).isEmpty()) {
    setOpen(false);
  } else if (watched == &table_ &&
             (event->type() == QEvent::ShowToParent || event->type() == QEvent::HideToParent)) {
    follow();
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace shardlens
