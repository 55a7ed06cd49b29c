#include "ui/panels/caches_panel.h"

#include "core/view/tables/cache_growth.h"
#include "core/view/tables/caches_table.h"
#include "core/view/tables/decisions.h"
#include "core/view/words/cache_lookup.h"
#include "core/view/words/empty_text.h"
#include "core/view/words/run_again.h"
#include "core/view/words/units.h"
#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"
#include "ui/text/format.h"
#include "ui/widgets/caches_chart.h"
#include "ui/widgets/filter_line.h"
#include "ui/widgets/note_box.h"
#include "ui/widgets/row_actions.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/window_notation.h"

#include <QAction>
#include <QBoxLayout>
#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <algorithm>
#include <cmath>
#include <utility>

namespace shardlens {
namespace {

using CacheColumn = view::CachesTable::Column;

constexpr int kChartHeight = 96;
constexpr int kRoomForCharts = 300;
constexpr int kHeightBeside = 200;
constexpr int kRoomBeside = 480;    // width for the table and the charts
constexpr int kRoomAbreast = 1040;  // width for the table and both charts abreast
constexpr int kStackWidth = 168;    // of charts one above the other beside the table
// Widths of the table for the uses and misses of an entry, and for the size of the cache as well.
constexpr int kRoomForUses = 450;
constexpr int kRoomForSizes = 620;

QList<QPointF> entriesOf(const std::vector<view::CacheGrowth>& growth) {
  QList<QPointF> line;
  for (const auto& each : growth) {
    line << QPointF(each.position, static_cast<double>(each.entries));
  }
  return line;
}

QList<QPointF> hitRatesOf(const std::vector<view::CacheGrowth>& growth) {
  QList<QPointF> line;
  for (const auto& each : growth) {
    line << QPointF(each.position, 100 * each.hitRate);
  }
  return line;
}

QString code(const std::string& text) {
  return QStringLiteral("<span style=\"font-family:'DejaVu Sans Mono'\">%1</span>")
      .arg(toQString(text).toHtmlEscaped());
}

QString foundTheSame() { return QObject::tr("Recomputed: the result is equal to the cached one."); }

QString hitWords(const view::CacheLookup& lookup) {
  QStringList entry;
  if (lookup.age > 0) {  // 0: not recorded
    entry << QObject::tr("made %1 ago")
                 .arg(countText(lookup.age, QObject::tr("lookup"), QObject::tr("lookups")));
  }
  entry << (lookup.uses == 0
                ? QObject::tr("not used before")
                : QObject::tr("used %1 before").arg(toQString(view::timesText(lookup.uses))));
  return QObject::tr("<b>Hit in the %1 cache.</b> The entry: %2.<br>%3")
             .arg(toQString(lookup.table), entry.join(QStringLiteral(", ")), code(lookup.key)) +
         (lookup.verified ? QStringLiteral("<br>") + foundTheSame() : QString());
}

QString words(const view::CacheLookup& lookup) {
  const QString table = toQString(lookup.table);
  if (lookup.verdict == Verdict::Off) {
    return QObject::tr("The %1 cache is off.").arg(table);
  }
  if (lookup.verdict == Verdict::Hit) {
    return hitWords(lookup);
  }
  if (!lookup.isCompared) {
    return QObject::tr("<b>Missed in the %1 cache.</b><br>%2").arg(table, code(lookup.key));
  }
  if (lookup.nearest.empty()) {
    return QObject::tr("<b>Why missed:</b> no similar entry in the %1 cache<br>%2")
        .arg(table, code(lookup.key));
  }
  QString text = QObject::tr("<b>Why missed:</b> nearest entry: %1").arg(code(lookup.nearest));
  int shown = 0;
  for (const auto& difference : lookup.differs) {
    if (++shown > 3) {
      break;
    }
    text += QStringLiteral("<br>differs in&nbsp; %1: &nbsp;%2 ≠ %3")
                .arg(code(difference.field), code(difference.here), code(difference.there));
  }
  return text;
}

// Returns a prefix that names the lookup, if it is not one of the current call.
QString lead(bool isCurrent, EventId ago) {
  return isCurrent ? QString()
                   : QObject::tr("Last cache lookup, %1. ").arg(toQString(view::agoText(ago)));
}

}  // namespace

CachesPanel::CachesPanel(QWidget* parent)
    : Panel(parent),
      model_(new TableModel(this)),
      table_(new QuietTable(QStringLiteral("cachesView"), *model_,
                            {.marked = TableModel::MarkedRole,
                             .tone = TableModel::ToneRole,
                             .shared = TableModel::SharedRole})),
      none_(new QLabel),
      charts_(new QWidget),
      entries_(new CachesChart(tr("entries: strategy ━ plan ┅"), 0)),
      hitRate_(new CachesChart(tr("hits, % of lookups"), 100)),
      foot_(new QWidget),
      why_(new NoteBox(QStringLiteral("cacheWhy"))),
      check_(new QPushButton),
      checking_(new QProgressBar) {
  table_->setAccessibleName(tr("Entries of the strategy cache and the plan cache"));
  model_->setTable(view::cachesTable(Journal(), {}));
  auto* columns = table_->horizontalHeader();
  columns->setSectionResizeMode(CacheColumn::Table, QHeaderView::ResizeToContents);
  columns->setSectionResizeMode(CacheColumn::Key, QHeaderView::Stretch);
  columns->setSectionResizeMode(CacheColumn::Hits, QHeaderView::Fixed);
  columns->setSectionResizeMode(CacheColumn::Last, QHeaderView::Fixed);
  columns->setSectionResizeMode(CacheColumn::Misses, QHeaderView::Fixed);
  columns->setSectionResizeMode(CacheColumn::Size, QHeaderView::Fixed);
  columns->setSectionResizeMode(CacheColumn::First, QHeaderView::Fixed);
  columns->setSectionResizeMode(CacheColumn::LastUse, QHeaderView::Fixed);
  leadToEvents(*table_);
  auto* made = new QAction(tr("Go to the miss that added this entry"), table_);
  made->setObjectName(QStringLiteral("goToMiss"));
  connect(made, &QAction::triggered, this, [this] {
    if (const QModelIndex row = table_->currentIndex(); row.isValid()) {
      Q_EMIT positionRequested(madeAt(row));
    }
  });
  table_->insertAction(table_->actions().value(1), made);
  none_->setAlignment(Qt::AlignCenter);
  atEachZoom(this, [this, columns] {
    columns->resizeSection(CacheColumn::Hits, zoomed(44));
    columns->resizeSection(CacheColumn::Last, zoomed(50));
    columns->resizeSection(CacheColumn::Misses, zoomed(54));
    columns->resizeSection(CacheColumn::Size, zoomed(96));
    columns->resizeSection(CacheColumn::First, zoomed(68));
    columns->resizeSection(CacheColumn::LastUse, zoomed(62));
    none_->setFont(zoomed(textFont(12)));
  });
  none_->setForegroundRole(kMutedRole);
  abreast_ = new QBoxLayout(QBoxLayout::LeftToRight, charts_);
  abreast_->setContentsMargins(6, 0, 6, 0);
  for (CachesChart* chart : {entries_, hitRate_}) {
    abreast_->addWidget(chart);
    connect(chart, &CachesChart::clicked, this, [this](double position) {
      const double last = static_cast<double>(drawnUpTo_);
      Q_EMIT positionRequested(static_cast<EventId>(std::lround(std::clamp(position, 0.0, last))));
    });
  }
  entries_->setObjectName(QStringLiteral("cacheEntriesChart"));
  hitRate_->setObjectName(QStringLiteral("cacheHitRateChart"));
  auto* foot = new QVBoxLayout(foot_);
  foot->setContentsMargins(6, 0, 6, 0);
  foot->addWidget(why_);
  foot->addWidget(checking_);
  foot->addWidget(check_, 0, Qt::AlignRight);
  check_->setObjectName(QStringLiteral("checkHit"));
  check_->setAccessibleName(tr("Recompute the result of this hit and compare"));
  connect(check_, &QPushButton::clicked, this, &CachesPanel::toggleCheck);
  checking_->setObjectName(QStringLiteral("checkingHit"));
  checking_->setRange(0, 0);
  checking_->setTextVisible(false);
  checking_->setFixedHeight(4);
  checking_->setAccessibleName(tr("Recomputing"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(6, 4, 6, 10);
  layout->setSpacing(8);
  layout->addWidget(none_, 1);
  layout->addWidget(new FilterLine(*table_));
  table_->setMinimumHeight(1);  // it shrinks before the note below covers it
  rows_ = new QBoxLayout(QBoxLayout::TopToBottom);
  rows_->setSpacing(8);
  beside_ = new QBoxLayout(QBoxLayout::TopToBottom);
  beside_->addWidget(table_, 1);
  rows_->addLayout(beside_, 1);
  rows_->addWidget(charts_, 1);
  layout->addLayout(rows_, 1);
  layout->addWidget(foot_);
  atEachZoom(charts_, [this] { placeCharts(); });
}

// The table lists the strategies first, then the plans.
EventId CachesPanel::madeAt(const QModelIndex& row) const {
  const std::size_t place = model_->placeOf(row.row());
  const auto& strategies = snapshot_.strategyCache.entries;
  return place < strategies.size() ? strategies[place].made
                                   : snapshot_.planCache.entries[place - strategies.size()].made;
}

void CachesPanel::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  snapshot_ = snapshot;
  model_->setTable(view::cachesTable(journal, snapshot, notationOf(*this)));
  const bool any = model_->allRows() > 0;
  table_->setVisible(any);
  none_->setVisible(!any);
  none_->setText(toQString(view::noneText(journal, "cache lookups", "No cache lookups yet.")));
  showGrowth(journal, snapshot);
  if (const int row = model_->markedRow(); row >= 0) {
    table_->scrollTo(model_->index(row, 0));
  }
  const auto sum = [](const CacheState& cache) {
    return QStringLiteral("%1/%2").arg(cache.hits).arg(cache.hits + cache.misses);
  };
  header()->setNote(
      withEmulation(any ? tr("hits: strategy %1 · plan %2")
                              .arg(sum(snapshot.strategyCache), sum(snapshot.planCache))
                        : QString(),
                    journal));
  if (std::exchange(journal_, &journal) != &journal && checked_ != 0) {
    checked_ = 0;
    Q_EMIT checkRequested(0);
  }
  showLookup();
}

void CachesPanel::showLookup() {
  const EventId newest = snapshot_.newestLookup;
  foot_->setVisible(newest != 0);
  if (newest == 0) {
    return;
  }
  const auto lookup = view::cacheLookupAt(*journal_, newest, notationOf(*this));
  const bool isCurrent = view::isOfCurrentCall(*journal_, newest, snapshot_.position);
  const bool isChecked = checked_ == newest;
  const bool isChecking = isChecked && outcome_.isEmpty();
  const bool isOther = isChecked && !isChecking && !isSame_;
  why_->setText(isOther                          ? NoteBox::Kind::Problem
                : !isCurrent                     ? NoteBox::Kind::Past
                : lookup.verdict == Verdict::Hit ? NoteBox::Kind::Good
                                                 : NoteBox::Kind::Warning,
                lead(isCurrent, snapshot_.position - newest) + words(lookup) +
                    (isChecked && !isChecking ? QStringLiteral("<br>") + outcome_ : QString()));
  check_->setVisible(lookup.verdict == Verdict::Hit && !lookup.verified);
  const QString reason = toQString(view::whyNotRunAgain(*journal_));
  check_->setEnabled(reason.isEmpty());
  check_->setToolTip(
      reason.isEmpty()
          ? tr("Run the program again, recompute this result and compare it with the cached one")
          : reason);
  check_->setText(isChecking ? tr("Cancel") : tr("Recompute and compare"));
  checking_->setVisible(isChecking);
}

void CachesPanel::toggleCheck() {
  const bool isChecking = checked_ == snapshot_.newestLookup && outcome_.isEmpty();
  checked_ = isChecking ? 0 : snapshot_.newestLookup;
  outcome_.clear();
  Q_EMIT checkRequested(checked_);
  showLookup();
}

void CachesPanel::setChecked(EventId hit, bool isSame, const QString& why) {
  if (hit == checked_) {
    isSame_ = isSame;
    outcome_ = isSame ? foundTheSame() : tr("<b>Not confirmed:</b> %1").arg(why.toHtmlEscaped());
    showLookup();
  }
}

// The charts cover the whole recording, so a change of position only moves the mark.
void CachesPanel::showGrowth(const Journal& journal, const Snapshot& snapshot) {
  if (drawn_ != &journal || drawnUpTo_ != journal.size()) {
    drawn_ = &journal;
    drawnUpTo_ = journal.size();
    const auto of = [&](CacheHistory Histories::*cache) {
      return snapshot.histories == nullptr
                 ? std::vector<view::CacheGrowth>()
                 : view::cacheGrowth((*snapshot.histories).*cache, drawnUpTo_);
    };
    const auto strategies = of(&Histories::strategyCache);
    const auto plans = of(&Histories::planCache);
    entries_->setLines(entriesOf(strategies), entriesOf(plans));
    hitRate_->setLines(hitRatesOf(strategies), hitRatesOf(plans));
  }
  for (CachesChart* chart : {entries_, hitRate_}) {
    chart->setPosition(snapshot.position, drawnUpTo_);
  }
  placeCharts();
}

// Places the charts below the table, or beside it and the note in a low panel: one above the other
// if the panel is narrow. Hides them if they fit neither.
void CachesPanel::placeCharts() {
  const bool isHigh = height() >= zoomed(kRoomForCharts);
  const bool isStack = !isHigh && width() < zoomed(kRoomAbreast);
  rows_->setDirection(isHigh ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
  const bool isBeside = beside_->indexOf(foot_) >= 0;
  if (isHigh && isBeside) {
    static_cast<QBoxLayout*>(layout())->addWidget(foot_);  // moves it
  } else if (!isHigh && !isBeside) {
    beside_->addWidget(foot_);
  }
  abreast_->setDirection(isStack ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
  charts_->setMinimumHeight(isHigh ? zoomed(kChartHeight) : 1);
  charts_->setMaximumHeight(isHigh ? zoomed(kChartHeight) : QWIDGETSIZE_MAX);
  charts_->setMaximumWidth(isStack ? zoomed(kStackWidth) : QWIDGETSIZE_MAX);
  const bool fitBeside = width() >= zoomed(kRoomBeside) && height() >= zoomed(kHeightBeside);
  charts_->setVisible((isHigh || fitBeside) && !entries_->isEmpty());
  // The key matters more than these figures.
  const bool areBeside = !isHigh && !charts_->isHidden();
  const int room = width() - (!areBeside ? 0 : isStack ? zoomed(kStackWidth) : width() / 2);
  for (const int column : {CacheColumn::Misses, CacheColumn::First, CacheColumn::LastUse}) {
    table_->setColumnHidden(column, room < zoomed(kRoomForUses));
  }
  table_->setColumnHidden(CacheColumn::Size, room < zoomed(kRoomForSizes));
}

void CachesPanel::resizeEvent(QResizeEvent* event) {
  Panel::resizeEvent(event);
  placeCharts();
}

void CachesPanel::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) {
    entries_->applyTheme();
    hitRate_->applyTheme();
  }
  Panel::changeEvent(event);
}

QString CachesPanel::explanation() const { return why_->text(); }

}  // namespace shardlens
