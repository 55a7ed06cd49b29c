#include "ui/panels/timeline_totals_box.h"

#include "core/model/byte_count.h"
#include "core/view/words/names.h"
#include "core/view/words/units.h"
#include "ui/models/table_model.h"
#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"
#include "ui/text/format.h"
#include "ui/widgets/table_view.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace shardlens {
namespace {

using view::Align;
using view::Cell;
using view::SpanKind;
using view::Tone;

view::Cell timeCell(std::int64_t time) {
  return {.text = time == 0 ? std::string() : view::durationText(time),
          .number = static_cast<double>(time)};
}

std::string kindText(const view::NameTotal& total) {
  switch (total.kind) {
    case SpanKind::Step:
      return "step";
    case SpanKind::Operator:
      return "operator";
    case SpanKind::Compute:
      return "compute";
    case SpanKind::Collective:
      return total.isImplicit ? "implicit collective" : "collective";
    case SpanKind::Hit:
      return "cache hit";
    case SpanKind::Miss:
      return "cache miss";
    case SpanKind::Mask:
      return "mask";
    case SpanKind::Error:
      break;
  }
  return "error";
}

view::Table nameTable(const std::vector<view::NameTotal>& totals) {
  std::vector<view::Row> rows;
  for (const view::NameTotal& total : totals) {
    rows.push_back(
        {.cells = {{std::string(view::truncated(total.name))},
                   {kindText(total), total.isImplicit ? Tone::Bad : Tone::Quiet},
                   {std::to_string(total.events), Tone::Plain, static_cast<double>(total.events)},
                   timeCell(total.time),
                   timeCell(total.waiting),
                   {.text = total.bytes == 0 ? std::string() : byteCountText(total.bytes),
                    .number = static_cast<double>(total.bytes)}},
         .tooltip = total.name,
         .event = total.longest});
  }
  return {.columns = {{"name"},
                      {"kind"},
                      {"events", Align::Right},
                      {"time", Align::Right},
                      {"waiting", Align::Right},
                      {"sent, all ranks", Align::Right}},
          .rows = rows};
}

view::Table rankTable(const std::vector<view::RankTotal>& totals) {
  std::vector<view::Row> rows;
  for (const auto& [rank, sum] : totals) {
    std::int64_t moved = 0;
    for (const std::int64_t axis : sum.collectives) moved += axis;
    rows.push_back({.cells = {{std::to_string(rank), Tone::Plain, static_cast<double>(rank)},
                              timeCell(sum.compute),
                              timeCell(moved),
                              timeCell(sum.waiting),
                              timeCell(sum.exposed)}});
  }
  return {.columns = {{"rank", Align::Right},
                      {"compute", Align::Right},
                      {"collectives", Align::Right},
                      {"waiting", Align::Right},
                      {"exposed", Align::Right}},
          .rows = rows};
}

}  // namespace

TimelineTotalsBox::TimelineTotalsBox(QWidget* parent)
    : QWidget(parent),
      title_(new QLabel),
      byName_(new TableModel(this)),
      byRank_(new TableModel(this)),
      names_(
          new QuietTable(QStringLiteral("totalsByName"), *byName_, {.tone = TableModel::ToneRole})),
      ranks_(new QuietTable(QStringLiteral("totalsByRank"), *byRank_, {})) {
  names_->setAccessibleName(tr("Totals of the selected area by name"));
  ranks_->setAccessibleName(tr("Totals of the selected area by rank"));
  title_->setObjectName(QStringLiteral("areaTitle"));
  title_->setTextFormat(Qt::PlainText);
  atEachZoom(title_, [label = title_] { label->setFont(zoomed(textFont(11, Weight::Bold))); });
  auto* closing = new QPushButton(tr("Close"));
  closing->setObjectName(QStringLiteral("closeArea"));
  closing->setAccessibleName(tr("End the selection of the area"));
  closing->setFlat(true);
  connect(closing, &QPushButton::clicked, this, &TimelineTotalsBox::closeRequested);
  byName_->setTable(nameTable({}));
  byRank_->setTable(rankTable({}));
  for (QuietTable* table : {names_, ranks_}) {
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  }
  names_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
  auto* top = new QHBoxLayout;
  top->addWidget(title_, 1);
  top->addWidget(closing);
  auto* tables = new QHBoxLayout;
  tables->setSpacing(12);
  tables->addWidget(names_, 3);
  tables->addWidget(ranks_, 2);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(8, 2, 8, 2);
  column->setSpacing(2);
  column->addLayout(top);
  column->addLayout(tables, 1);
}

void TimelineTotalsBox::setArea(const Journal& journal, const view::Timeline& timeline,
                                const view::TimelineArea& area) {
  const view::AreaTotals totals = view::totalsOf(journal, timeline, area);
  byName_->setTable(nameTable(totals.byName));
  byRank_->setTable(rankTable(totals.byRank));
  const int first = timeline.rankOf(area.firstLane);
  const int last = timeline.rankOf(area.lastLane);
  const QString ranks =
      first == last ? tr("rank %1").arg(first) : tr("ranks %1–%2").arg(first).arg(last);
  title_->setText(tr("%1 from %2, %3%4")
                      .arg(durationText(area.to - area.from), durationText(area.from), ranks,
                           totals.isCut ? tr(", the beginning only") : QString()));
}

}  // namespace shardlens
