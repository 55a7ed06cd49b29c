#include "ui/panels/whole_canvas.h"

#include "ui/models/format.h"
#include "ui/panels/paint.h"

#include <algorithm>

namespace shardlens {

WholeCanvas::WholeCanvas(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("wholeCanvas"));
  setAccessibleName(tr("The reassembled tensor"));
  setFixedHeight(98);
}

void WholeCanvas::setTensor(const Journal& journal, const Snapshot& snapshot, TensorId tensor) {
  journal_ = &journal;
  snapshot_ = snapshot;
  view_ = viewTensor(journal, snapshot_, tensor);
  whole_ = assemble(journal, snapshot_, view_);
  setAccessibleDescription(verdict());
  update();
}

QString WholeCanvas::heading() const {
  if (view_.record == nullptr) {
    return {};
  }
  const auto& placements = view_.record->placements;
  const bool pending = std::any_of(placements.begin(), placements.end(), isPartial);
  // A run that was refused has no reduction to come.
  return pending && snapshot_.error.empty() ? tr("Reassembled, as it will be after the reduction")
                                            : tr("Reassembled");
}

QString WholeCanvas::verdict() const {
  if (view_.record == nullptr) {
    return {};
  }
  const auto copies = view_.copies();
  if (whole_.values.empty()) {
    const bool elsewhere = std::any_of(copies.begin(), copies.end(), [this](const auto& ranks) {
      return view_.shown(ranks).where == Whereabouts::OtherProcess;
    });
    return elsewhere ? tr("the rest is in other processes' recordings")
                     : tr("the recording does not hold all values");
  }
  if (!whole_.copiesAgree) {
    return tr("copies differ between ranks");
  }
  if (whole_.missing > 0) {
    return tr("%1 elements are on no rank").arg(whole_.missing);
  }
  const auto here = std::count_if(copies.front().begin(), copies.front().end(), [this](int rank) {
    return view_.part(rank)->where == Whereabouts::Here;
  });
  if (here > 1) {
    return here == static_cast<std::ptrdiff_t>(copies.front().size())
               ? tr("all %1 copies agree").arg(here)
               : tr("the %1 copies here agree").arg(here);
  }
  int terms = 1;
  for (std::size_t dim = 0; dim < view_.record->placements.size(); ++dim) {
    const bool pending = isPartial(view_.record->placements[dim]);
    terms *= pending ? view_.mesh->size(static_cast<int>(dim)) : 1;
  }
  return terms > 1 ? tr("%1 terms make every element").arg(terms) : tr("every element is there");
}

void WholeCanvas::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(theme().border, 1));
  painter.drawLine(QPointF(1, 0.5), QPointF(width() - 1, 0.5));
  if (view_.record == nullptr) {
    return;
  }
  const bool bad = !whole_.copiesAgree || whole_.missing > 0;
  const QRectF head(14, 8, width() - 28, 20);
  drawLine(painter, head, heading(), theme().muted, textFont(11));
  drawLine(painter, head, (bad ? QStringLiteral("✗  ") : QString()) + verdict(),
           bad                     ? theme().bad
           : whole_.values.empty() ? theme().muted
                                   : theme().good,
           textFont(11, Weight::Bold), Qt::AlignRight | Qt::AlignVCenter);
  const QSizeF area(width() - 28, height() - 42);
  const WholeScene scene = layoutWhole(*journal_, snapshot_, view_, whole_, area, theme().dark());
  painter.translate(14, 34);
  for (const WholeCell& cell : scene.cells) {
    drawBox(painter, cell.rect, 2, cell.fill, QColor());
    if (!cell.text.isEmpty()) {
      drawLine(painter, cell.rect, cell.text, theme().onCells,
               codeFont(cell.rect.width() < 34 ? 9 : 10), Qt::AlignCenter);
    }
  }
  for (const auto& [rect, text] : scene.labels) {
    drawLine(painter, rect, text, theme().muted, textFont(10), Qt::AlignCenter);
  }
  if (scene.left > 0) {
    drawLine(painter, QRectF(area.width() - 200, area.height() - 12, 200, 14),
             tr("and %1 more rows").arg(scene.left), theme().muted, textFont(10),
             Qt::AlignRight | Qt::AlignVCenter);
  }
}

}  // namespace shardlens
