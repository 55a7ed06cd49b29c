#include "ui/pages/command_palette.h"

#include "ui/models/fuzzy_match.h"
#include "ui/scenes/theme.h"

#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace shardlens {
namespace {

constexpr QSize kSize{760, 420};
constexpr qsizetype kMostRecent = 5;
constexpr int kPlaceRole = Qt::UserRole + 1;  // index of a place

// A matching command. Sorted by enabled first, then by score, then by how recently it was chosen.
struct Ranked {
  int score;
  qsizetype recency;  // index in the recent commands; kMostRecent if not among them
  const CommandPalette::Entry* entry;
};

bool ranksHigher(const Ranked& a, const Ranked& b) {
  const auto order = [](const Ranked& each) {
    return std::tuple(!each.entry->action->isEnabled(), -each.score, each.recency);
  };
  return order(a) < order(b);
}

}  // namespace

CommandPalette::CommandPalette(std::vector<Entry> entries, FindPlaces findPlaces, QWidget* window)
    : QDialog(window),
      entries_(std::move(entries)),
      findPlaces_(std::move(findPlaces)),
      typed_(new QLineEdit),
      found_(new QListWidget) {
  setObjectName(QStringLiteral("commandPalette"));
  setWindowTitle(tr("Find"));
  setAccessibleName(tr("Command palette"));
  typed_->setObjectName(QStringLiteral("commandLetters"));
  typed_->setAccessibleName(tr("Search for a command or a place"));
  typed_->setPlaceholderText(
      tr("Command, panel, tensor, line, module, problem, number of an event, rank or step, query"));
  found_->setObjectName(QStringLiteral("commandsFound"));
  found_->setAccessibleName(tr("Matches"));
  found_->setFocusPolicy(Qt::NoFocus);
  found_->setUniformItemSizes(true);
  found_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  found_->setSpacing(2);
  found_->setProperty("offers", true);
  auto* column = new QVBoxLayout(this);
  column->addWidget(typed_);
  column->addWidget(found_, 1);
  typed_->installEventFilter(this);
  connect(typed_, &QLineEdit::textChanged, this, &CommandPalette::list);
  connect(typed_, &QLineEdit::returnPressed, this, &CommandPalette::choose);
  connect(found_, &QListWidget::itemClicked, this, &CommandPalette::choose);
}

// Places the palette at the top of the window.
void CommandPalette::open() {
  typed_->clear();
  list();
  const QWidget* window = parentWidget();
  resize(kSize.boundedTo(window->size()));
  move(window->mapToGlobal(QPoint((window->width() - width()) / 2, 56)));
  typed_->setFocus();
  QDialog::open();
}

void CommandPalette::list() {
  std::vector<Ranked> ranked;
  for (const Entry& entry : entries_) {
    if (const auto score = fuzzyScore(typed_->text(), entry.title)) {
      const qsizetype recency = recent_.indexOf(entry.action->objectName());
      ranked.push_back({*score, recency < 0 ? kMostRecent : recency, &entry});
    }
  }
  std::stable_sort(ranked.begin(), ranked.end(), ranksHigher);
  found_->clear();
  places_ = findPlaces_(typed_->text());
  const auto scoreOf = [this](const QString& title) {
    return fuzzyScore(typed_->text(), title).value_or(0);
  };
  QListWidgetItem* first = nullptr;
  std::size_t place = 0;
  // Lists the places that match better than a command with this score.
  const auto listPlaces = [&](int score) {
    for (; place < places_.size() && scoreOf(places_[place].title) > score; ++place) {
      auto* item = new QListWidgetItem(places_[place].title, found_);
      item->setData(kPlaceRole, static_cast<int>(place));
      item->setToolTip(places_[place].title);
      first = first == nullptr ? item : first;
    }
  };
  for (const Ranked& each : ranked) {
    const QAction& action = *each.entry->action;
    listPlaces(action.isEnabled() ? each.score : std::numeric_limits<int>::min());
    const QString keys = action.shortcut().toString(QKeySequence::NativeText);
    auto* item = new QListWidgetItem(
        keys.isEmpty() ? each.entry->title : tr("%1   (%2)").arg(each.entry->title, keys), found_);
    item->setToolTip(action.toolTip());
    item->setData(Qt::UserRole, QVariant::fromValue(each.entry->action));
    if (!action.isEnabled()) {
      item->setFlags(Qt::NoItemFlags);
      item->setForeground(theme().muted);
    } else if (first == nullptr) {
      first = item;
    }
  }
  listPlaces(std::numeric_limits<int>::min());
  if (found_->count() == 0) {
    auto* none = new QListWidgetItem(
        tr("No matches. To filter events: %1").arg(QStringLiteral("implicit bytes>1KB")), found_);
    none->setFlags(Qt::NoItemFlags);
    none->setForeground(theme().muted);
  }
  found_->setCurrentItem(first);
}

void CommandPalette::choose() {
  const QListWidgetItem* item = found_->currentItem();
  if (item == nullptr) {
    return;
  }
  if (const QVariant number = item->data(kPlaceRole); number.isValid()) {
    const auto go = places_[static_cast<std::size_t>(number.toInt())].go;
    accept();
    return go();
  }
  auto* action = item->data(Qt::UserRole).value<QAction*>();
  recent_.removeAll(action->objectName());
  recent_.prepend(action->objectName());
  recent_ = recent_.mid(0, kMostRecent);
  accept();
  action->trigger();
}

// The line keeps the focus; keys that move in a list are sent to the list below.
bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress) {
    auto& press = static_cast<QKeyEvent&>(*event);
    switch (press.key()) {
      case Qt::Key_Up:
      case Qt::Key_Down:
      case Qt::Key_PageUp:
      case Qt::Key_PageDown:
        QCoreApplication::sendEvent(found_, &press);
        return true;
      default:
        break;
    }
  }
  return QDialog::eventFilter(watched, event);
}

}  // namespace shardlens
