#include "ui/panels/steps_panel.h"

#include "core/query/language/similar_events.h"
#include "core/trace/events/event_names.h"
#include "core/trace/journal/tensor_ranks.h"
#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"
#include "ui/text/format.h"
#include "ui/widgets/query_line.h"
#include "ui/widgets/reveal.h"
#include "ui/widgets/row_actions.h"
#include "ui/widgets/steps_view.h"
#include "ui/widgets/window_notation.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QShortcut>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace shardlens {
namespace {

constexpr EventId kMostUnfolded = 5000;  // events that are expanded when they arrive

// Returns "33 Redistribute · 2 Collective".
QString kindsText(const std::map<EventKind, std::size_t>& kinds) {
  QStringList texts;
  for (const auto& [kind, count] : kinds) {
    texts << StepsPanel::tr("%1 %2").arg(count).arg(toQString(kindName(kind)));
  }
  return texts.join(QStringLiteral(" · "));
}

}  // namespace

StepsPanel::StepsPanel(QWidget* parent)
    : Panel(parent),
      model_(new StepsModel(this)),
      matches_(new MatchesModel(*model_, this)),
      tree_(new StepsView(QStringLiteral("stepsView"), tr("Events of the run"), *model_)),
      list_(new StepsView(QStringLiteral("matchesView"), tr("Events that match the filter"),
                          *matches_)),
      fold_(*tree_, *model_),
      hits_(new QToolButton),
      filterRow_(new QWidget),
      line_(new QueryLine(QStringLiteral("stepsFilter"), tr("Filter: events of the run"))),
      count_(new QLabel) {
  tree_->setEmptyText(tr("No events yet"));
  list_->setUniformRowHeights(true);
  list_->hide();
  connect(model_, &StepsModel::modelReset, this, [this] {
    expanded_ = 0;
    unfolded_.clear();
    fold_.clear();
  });
  makeFilter();
  makeFold();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(1, 6, 1, 6);
  layout->addWidget(filterRow_);
  layout->addWidget(tree_);
  layout->addWidget(list_);
  setFocusProxy(tree_);
  for (StepsView* view : {tree_, list_}) {
    offerActions(*view);
  }
  showFilter(false);
  leadToEvents(*tree_, [this](const QModelIndex& index) { return model_->eventOf(index); });
  leadToEvents(*list_, [this](const QModelIndex& index) { return matches_->eventOf(index); });
}

void StepsPanel::makeFilter() {
  count_->setObjectName(QStringLiteral("stepsFilterCount"));
  count_->setForegroundRole(kMutedRole);
  auto* row = new QHBoxLayout(filterRow_);
  row->setContentsMargins(6, 0, 6, 4);
  row->setSpacing(8);
  row->addWidget(line_, 1);
  row->addWidget(count_, 0, Qt::AlignTop);
  atEachZoom(count_, [count = count_] {
    count->setFont(zoomed(textFont(11)));
    count->setFixedHeight(zoomed(24));
  });
  line_->edit().installEventFilter(this);
  connect(line_, &QueryLine::queryChanged, this, &StepsPanel::applyFilter);
  connect(&line_->edit(), &QLineEdit::returnPressed, this, [this] { shown().setFocus(); });
  connect(matches_, &MatchesModel::searched, this, [this] {
    showCount();
    if (!list_->currentIndex().isValid() && matches_->searchedTo() >= position_) {
      showPosition(*list_, matches_->indexAt(position_), /*moved=*/true);
    }
  });
}

void StepsPanel::makeFold() {
  hits_->setObjectName(QStringLiteral("stepsHits"));
  hits_->setText(tr("hits"));
  hits_->setToolTip(tr("Show each cache hit as a row"));
  hits_->setAccessibleName(hits_->toolTip());
  hits_->setCheckable(true);
  hits_->setFocusPolicy(Qt::TabFocus);
  atEachZoom(hits_, [button = hits_] { button->setFixedHeight(zoomed(22)); });
  header()->addControl(hits_);
  connect(hits_, &QToolButton::toggled, this, [this](bool shown) { fold_.setFolded(!shown); });
  connect(tree_, &QTreeView::expanded, this, [this](const QModelIndex& row) {
    fold_.foldInside(row);
    showHits();
  });
}

// Offers to show the folded hits. A filter lists all matches, hits as well.
void StepsPanel::showHits() { hits_->setVisible(!fold_.isEmpty() && filter().empty()); }

void StepsPanel::offerActions(StepsView& view) {
  offerCopying(view);
  offerOnRow(view, "copyItsStep", tr("Copy step as Markdown"), [this](const QModelIndex&) {
    const EventId event = currentEvent();
    if (event != 0 && journal_->at(event).step >= 0) {
      Q_EMIT stepCopyRequested(journal_->at(event).step);
    }
  });
  escapes_.push_back(
      new QShortcut(Qt::Key_Escape, &view, this, &StepsPanel::endFilter, Qt::WidgetShortcut));
}

// Return and Down move to the rows. Escape ends the filter, and so does leaving the line if it is
// empty.
bool StepsPanel::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Escape) {
      endFilter();
      return true;
    }
    if (key == Qt::Key_Down) {
      shown().setFocus(Qt::OtherFocusReason);
      return true;
    }
  } else if (event->type() == QEvent::FocusOut && line_->text().trimmed().isEmpty()) {
    const Qt::FocusReason reason = static_cast<QFocusEvent*>(event)->reason();
    showFilter(reason == Qt::PopupFocusReason || reason == Qt::ActiveWindowFocusReason);
  }
  return Panel::eventFilter(watched, event);
}

// Enables Escape in the rows only while there is a filter to end.
void StepsPanel::showFilter(bool shown) {
  filterRow_->setVisible(shown);
  for (QShortcut* escape : escapes_) {
    escape->setEnabled(shown);
  }
}

void StepsPanel::openFilter() {
  showFilter(true);
  line_->setFocus(Qt::ShortcutFocusReason);
  line_->edit().selectAll();
}

void StepsPanel::setFilter(const QString& query) {
  openFilter();
  line_->setText(query);
}

void StepsPanel::endFilter() {
  line_->setText({});
  shown().setFocus(Qt::ShortcutFocusReason);
  showFilter(false);
}

// Keeps the last filter while the query is invalid.
void StepsPanel::applyFilter() {
  if (line_->query() && *line_->query() != filter()) {
    const bool hadFocus = shown().hasFocus();
    matches_->setQuery(*line_->query());
    list_->setVisible(!filter().empty());
    tree_->setVisible(filter().empty());
    setFocusProxy(&shown());
    if (hadFocus) {
      shown().setFocus();
    }
    showHits();
    Q_EMIT filterChanged();
  }
  showCount();
}

void StepsPanel::showCount() {
  const QString pause = matches_->isSearching() ? QStringLiteral(" …") : QString();
  count_->setText(filter().empty()
                      ? QString()
                      : tr("%1 of %2").arg(matches_->matches()).arg(matches_->searchedTo()) +
                            pause);
  const QString kinds = kindsText(matches_->matchesByKind());
  const QString cut =
      matches_->isCut()
          ? tr("The list shows the first %1 rows. F3 finds later matches.").arg(MatchesModel::kMost)
          : QString();
  count_->setToolTip(cut.isEmpty() ? kinds : kinds + u'\n' + cut);
  count_->setAccessibleDescription(kinds);
  showNote();
  const bool hasNone = !filter().empty() && !matches_->isSearching() && matches_->matches() == 0;
  list_->setEmptyText(matches_->isSearching() ? tr("Searching…")
                      : hasNone               ? tr("No event matches the filter.") + suggestion()
                                              : QString());
  if (auto listed = matches_->listed(); !matches_->isSearching() && listed != marked_) {
    marked_ = std::move(listed);
    Q_EMIT matchesChanged(marked_);
  }
}

// Returns how many events each term matches alone, for a filter that matches none: " Alone,
// implicit matches 4, bytes>1KB matches 2." Reads the first events only.
QString StepsPanel::suggestion() const {
  constexpr EventId kMostCounted = 20'000;
  const Query& query = matches_->query();
  if (query.size() < 2 || journal_ == nullptr) {
    return {};
  }
  QStringList parts;
  const EventId last = std::min(journal_->size(), kMostCounted);
  for (std::size_t i = 0; i < query.size(); ++i) {
    const EventFilter alone(*journal_, Query{query[i]});
    int count = 0;
    for (EventId id = alone.next(0, last); id != 0; id = alone.next(id, last)) ++count;
    const QByteArray text = line_->text().toUtf8();
    const auto term =
        text.mid(static_cast<qsizetype>(query[i].at), static_cast<qsizetype>(query[i].length));
    parts << tr("%1 matches %2").arg(QString::fromUtf8(term)).arg(count);
  }
  return tr(" Alone, %1.").arg(parts.join(QStringLiteral(", ")));
}

StepsView& StepsPanel::shown() const { return filter().empty() ? *tree_ : *list_; }

EventId StepsPanel::currentEvent() const {
  return filter().empty() ? model_->eventOf(tree_->currentIndex())
                          : matches_->eventOf(list_->currentIndex());
}

QString StepsPanel::currentQuery() const {
  const EventId event = currentEvent();
  return event == 0 ? QString() : QString::fromStdString(similarEvents(*journal_, event));
}

void StepsPanel::unfold() {
  const EventId size = journal_->size();
  if (expanded_ == 0 && size <= kMostUnfolded) {
    tree_->expandAll();
  } else {
    for (EventId id = expanded_ + 1; id <= std::min(size, kMostUnfolded); ++id) {
      tree_->expand(model_->indexOf(id));
    }
  }
  fold_.foldAmong(expanded_ + 1, std::min(size, kMostUnfolded));
  showHits();
  expanded_ = size;
}

// Collapses the rows that were expanded to show an earlier position and do not contain `row`. Only
// rows around the position, and those that the user has expanded, stay expanded.
void StepsPanel::foldBehind(const QModelIndex& row) {
  std::vector<QPersistentModelIndex> around;
  for (QModelIndex each = row.parent(); each.isValid(); each = each.parent()) {
    const bool isOurs = std::erase(unfolded_, each) > 0;
    if (isOurs || !tree_->isExpanded(each)) {
      around.emplace_back(each);
    }
  }
  for (const QPersistentModelIndex& left : unfolded_) {
    tree_->collapse(left);
  }
  unfolded_ = std::move(around);
}

// Selects and scrolls only if the position moved, so that a growing recording does not disturb the
// reader.
void StepsPanel::showPosition(StepsView& view, const QModelIndex& row, bool moved) {
  if (moved || !view.currentIndex().isValid()) {
    view.setCurrentIndex(row);
  }
  if (moved) {
    row.isValid() ? reveal(view, row) : view.scrollToTop();
  }
  view.viewport()->update();
}

void StepsPanel::setDifferences(std::shared_ptr<const std::vector<EventId>> events, EventId first) {
  model_->setDifferences(std::move(events), first);
  shown().viewport()->update();
}

void StepsPanel::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  journal_ = &journal;
  line_->setJournal(journal);
  model_->setSnapshot(journal, snapshot, notationOf(*this));
  matches_->setJournal(journal);
  const bool moved = std::exchange(position_, snapshot.position) != snapshot.position;
  unfold();
  fold_.setPosition(position_);
  const QModelIndex row = model_->indexOf(position_);
  if (moved) {
    foldBehind(row);
  }
  showPosition(*tree_, row, moved);
  showPosition(*list_, matches_->indexAt(position_), moved);
  sent_ = snapshot.bytesMoved;
  showNote();
}

// With a filter, the number of matches of each kind. Otherwise the totals up to the position.
void StepsPanel::showNote() {
  if (const auto& kinds = matches_->matchesByKind(); !kinds.empty()) {
    header()->setNote(kindsText(kinds));
  } else if (journal_ == nullptr || journal_->size() == 0) {
    header()->setNote({});
  } else {
    const QString events = countText(journal_->size(), tr("event"), tr("events"));
    const bool isUnknown = sent_ == 0 && isImported(*journal_);
    header()->setNote(isUnknown ? events : tr("%1 · %2 sent").arg(events, bytesText(sent_)));
  }
}

}  // namespace shardlens
