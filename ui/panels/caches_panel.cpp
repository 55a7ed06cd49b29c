#include "ui/panels/caches_panel.h"

#include "ui/models/decisions.h"
#include "ui/panels/note_box.h"
#include "ui/panels/table_view.h"
#include "ui/scenes/theme.h"
#include "ui/text/format.h"

#include <QHeaderView>
#include <QLabel>
#include <QVBoxLayout>

namespace shardlens {
namespace {

QString code(const QString& text) {
  return QStringLiteral("<span style=\"font-family:'DejaVu Sans Mono'\">%1</span>")
      .arg(text.toHtmlEscaped());
}

QString words(const LookupWords& lookup) {
  if (lookup.off) {
    return QObject::tr("The %1 cache is off.").arg(lookup.table);
  }
  if (lookup.hit) {
    const QString uses = lookup.earlierUses == 1 ? QObject::tr("once")
                                                 : QObject::tr("%1 times").arg(lookup.earlierUses);
    const QString age = lookup.age == 0   ? QString()  // recordings of older versions
                        : lookup.age == 1 ? QObject::tr(", since the cache look-up before")
                                          : QObject::tr(", for %1 cache look-ups").arg(lookup.age);
    return QObject::tr("<b>The %1 cache had it</b>%2, used %3 before:<br>%4")
        .arg(lookup.table, age, uses, code(lookup.key));
  }
  if (lookup.nearest.isEmpty()) {
    return QObject::tr("<b>Why missed:</b> nothing like it in the %1 cache<br>%2")
        .arg(lookup.table, code(lookup.key));
  }
  QString text = QObject::tr("<b>Why missed:</b> nearest entry is %1").arg(code(lookup.nearest));
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

// Which look-up it was, where the current event has nothing to do with it.
QString lead(const LookupWords& lookup, EventId position) {
  return lookup.isCurrent
             ? QString()
             : QObject::tr("Last cache look-up, %1. ").arg(agoText(lookup.event, position));
}

}  // namespace

CachesPanel::CachesPanel(QWidget* parent)
    : Panel(parent),
      model_(new CachesModel(this)),
      table_(new QuietTable(QStringLiteral("cachesView"), {.marked = CachesModel::CurrentRole,
                                                           .tone = CachesModel::ToneRole,
                                                           .shared = CachesModel::SharedRole})),
      none_(new QLabel(tr("Nothing has been looked up yet."))),
      foot_(new QWidget),
      why_(new NoteBox(QStringLiteral("cacheWhy"))) {
  table_->setAccessibleName(tr("Entries of the strategy cache and the plan cache"));
  table_->setModel(model_);
  auto* columns = table_->horizontalHeader();
  columns->setSectionResizeMode(CachesModel::Table, QHeaderView::ResizeToContents);
  columns->setSectionResizeMode(CachesModel::Key, QHeaderView::Stretch);
  columns->setSectionResizeMode(CachesModel::Hits, QHeaderView::Fixed);
  columns->setSectionResizeMode(CachesModel::Last, QHeaderView::Fixed);
  columns->resizeSection(CachesModel::Hits, 44);
  columns->resizeSection(CachesModel::Last, 50);
  const auto go = [this](const QModelIndex& index) {
    Q_EMIT positionWanted(index.data(CachesModel::EventRole).toUInt());
  };
  connect(table_, &QTableView::clicked, this, go);
  connect(table_, &QTableView::activated, this, go);
  none_->setAlignment(Qt::AlignCenter);
  none_->setFont(textFont(12));
  none_->setProperty("tone", QStringLiteral("muted"));
  auto* foot = new QVBoxLayout(foot_);
  foot->setContentsMargins(6, 0, 6, 0);
  foot->addWidget(why_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(6, 4, 6, 10);
  layout->setSpacing(8);
  layout->addWidget(none_, 1);
  layout->addWidget(table_, 1);
  layout->addWidget(foot_);
  setMinimumSize(220, 150);
}

void CachesPanel::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  model_->setSnapshot(journal, snapshot);
  const bool any = model_->rowCount() > 0;
  table_->setVisible(any);
  none_->setVisible(!any);
  for (int row = 0; row < model_->rowCount(); ++row) {
    if (model_->index(row, 0).data(CachesModel::CurrentRole).toBool()) {
      table_->scrollTo(model_->index(row, 0));
    }
  }
  const auto sum = [](const CacheState& cache) {
    return QStringLiteral("%1/%2").arg(cache.hits).arg(cache.hits + cache.misses);
  };
  header()->setNote(
      withEmulation(any ? tr("hits: strategy %1 · plan %2")
                              .arg(sum(snapshot.strategyCache), sum(snapshot.planCache))
                        : QString(),
                    journal));
  const auto lookup = newestLookup(journal, snapshot);
  foot_->setVisible(lookup.has_value());
  if (lookup) {
    why_->setText(!lookup->isCurrent ? NoteBox::Kind::Past
                  : lookup->hit      ? NoteBox::Kind::Good
                                     : NoteBox::Kind::Warning,
                  lead(*lookup, snapshot.position) + words(*lookup));
  }
}

QString CachesPanel::explanation() const { return why_->text(); }

}  // namespace shardlens
