#include "ui/widgets/whole_canvas.h"

#include "core/model/spec.h"
#include "core/query/history/element_history.h"
#include "core/view/words/detail_words.h"
#include "ui/scenes/card_words.h"
#include "ui/scenes/cell_text.h"
#include "ui/text/format.h"
#include "ui/widgets/paint.h"

#include <QStringList>
#include <algorithm>
#include <utility>

namespace shardlens {
namespace {

constexpr int kHeight = 98;
constexpr int kHeadOnly = 36;
constexpr int kLine = 16;

}  // namespace

WholeCanvas::WholeCanvas(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("wholeCanvas"));
  setAccessibleName(tr("The reassembled tensor"));
  atEachZoom(this, [this] { chooseHeight(); });
}

void WholeCanvas::setTensor(const Journal& journal, const Snapshot& snapshot,
                            std::shared_ptr<const TensorView> view) {
  snapshot_ = snapshot;
  view_ = std::move(view);
  whole_ = assemble(journal, snapshot_, *view_);
  findCheck(journal);
  setAccessibleDescription(verdict());
  setToolTip(verdict());
  chooseHeight();
  update();
}

void WholeCanvas::resizeEvent(QResizeEvent* /*event*/) { chooseHeight(); }

void WholeCanvas::chooseHeight() {
  const double words = QFontMetricsF(textFont(11)).horizontalAdvance(heading()) +
                       QFontMetricsF(textFont(11, Weight::Bold)).horizontalAdvance(verdict());
  twoLines_ = words + 60 > unzoomed(QSizeF(size())).width();
  setFixedHeight(zoomed((repeatsCard() ? kHeadOnly : kHeight) + (twoLines_ ? kLine : 0)));
}

// Returns true if the only card of Shards has all elements, and none of them is odd.
bool WholeCanvas::repeatsCard() const {
  if (view_->record == nullptr || view_->record->shape.size() > 2) {
    return false;
  }
  const auto& placements = view_->record->placements;
  const bool isWhole = std::all_of(placements.begin(), placements.end(), isReplicate);
  const bool isOdd = checked_ == Verdict::Differs || whole_.missing + whole_.nans > 0 ||
                     whole_.infinities > 0 || whole_.gap != Gap::None;
  return isWhole && !isOdd && whole_.copiesAgree && view_->copies().size() == 1;
}

bool WholeCanvas::pending() const {
  const auto& placements = view_->record->placements;
  return std::any_of(placements.begin(), placements.end(), isPartial);
}

QString WholeCanvas::heading() const {
  if (view_->record == nullptr) {
    return {};
  }
  // A refused run makes no reduction, and masked ids are never summed.
  return pending() && !view_->localIds && snapshot_.error.empty()
             ? tr("Reassembled after the reduction")
             : tr("Reassembled");
}

// Returns the first difference of the first shard that has one: "copies differ: rank 2, [1, 1]:
// 5, not 4".
QString WholeCanvas::differenceOfCopies() const {
  for (const auto& ranks : view_->copies()) {
    const auto groups = alike(*view_, ranks);
    if (groups.size() > 1) {
      return tr("copies differ: %1, %2")
          .arg(ranksLabel(groups[1]),
               differenceText(*view_, view_->shown(groups[1]), view_->shown(groups[0])));
    }
  }
  return {};
}

QString WholeCanvas::copiesText() const {
  const auto ranks = view_->copies().front();
  const auto here = std::count_if(ranks.begin(), ranks.end(), [this](int rank) {
    return view_->part(rank)->where == RankLocation::Here;
  });
  if (here > 1) {
    return here == static_cast<std::ptrdiff_t>(ranks.size())
               ? tr("all %1 copies are equal").arg(here)
               : tr("the %1 copies of this process are equal").arg(here);
  }
  int signs = 1;
  for (std::size_t dim = 0; dim < view_->record->placements.size(); ++dim) {
    const bool partial = isPartial(view_->record->placements[dim]);
    signs *= partial ? view_->mesh->size(static_cast<int>(dim)) : 1;
  }
  return signs > 1 ? tr("sum of %1 partial values").arg(signs) : tr("complete");
}

void WholeCanvas::findCheck(const Journal& journal) {
  const auto state = view_->record == nullptr ? std::nullopt : snapshot_.tensor(view_->record->id);
  const EventId id = state ? checkOf(journal, state->id, state->changed) : 0;
  checked_ = id == 0 ? Verdict::None : journal.at(id).verdict;
  check_ = id == 0 ? CheckRecord() : readCheck(journal.detail(journal.at(id)));
}

// Returns "differs from plain torch by 0.5 at [2, 1]", or an empty text if the run was not checked.
QString WholeCanvas::plainText() const {
  if (checked_ != Verdict::Differs) {
    if (checked_ != Verdict::Same) {
      return {};
    }
    return check_.bound.empty()
               ? tr("matches plain torch")
               : tr("matches plain torch: differs by %1, %2")
                     .arg(toQString(check_.largest), toQString(view::boundText(check_)));
  }
  if (check_.largest.empty()) {
    return tr("differs from plain torch: %1").arg(toQString(check_.why));
  }
  const bool isNumber = check_.largest != "nan" && check_.largest != "inf";
  const QString size = isNumber ? tr(" by %1").arg(toQString(check_.largest)) : QString();
  const QString place =
      check_.at.empty() ? QString() : tr(" at %1").arg(toQString(toText(check_.at)));
  const QString bound =
      check_.bound.empty() ? QString() : ", " + toQString(view::boundText(check_));
  return tr("differs from plain torch%1%2%3").arg(size, place, bound);
}

QString WholeCanvas::verdict() const {
  if (view_->record == nullptr) {
    return {};
  }
  QStringList parts{partsText(), plainText()};
  if (checked_ == Verdict::Differs) {
    parts.swapItemsAt(0, 1);
  }
  parts.removeAll(QString());
  return parts.join(QStringLiteral(" · "));
}

QString WholeCanvas::partsText() const {
  if (!whole_.copiesAgree) {
    return differenceOfCopies();
  }
  if (whole_.gap != Gap::None) {
    return gapText(whole_.gap);
  }
  if (whole_.isLarge) {
    return tr("%1 · the first of %2 elements").arg(copiesText()).arg(elementCount(whole_.shape));
  }
  if (whole_.missing > 0) {
    return tr("%1 elements are on no rank").arg(whole_.missing);
  }
  QStringList odd;
  odd << (whole_.nans > 0 ? tr("%1 NaN").arg(whole_.nans) : QString())
      << (whole_.infinities > 0 ? tr("%1 infinite").arg(whole_.infinities) : QString());
  odd.removeAll(QString());
  return odd.isEmpty() ? copiesText()
                       : odd.join(QStringLiteral(", ")) + QStringLiteral(" · ") + copiesText();
}

void WholeCanvas::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  zoom(painter);
  const QSizeF all = unzoomed(QSizeF(size()));
  painter.setPen(QPen(theme().border, 1));
  painter.drawLine(QPointF(1, 0.5), QPointF(all.width() - 1, 0.5));
  if (view_->record == nullptr) {
    return;
  }
  const bool bad = checked_ == Verdict::Differs || !whole_.copiesAgree || whole_.missing > 0 ||
                   whole_.nans > 0 || whole_.infinities > 0;
  const QRectF head(14, 8, all.width() - 28, 20);
  drawLine(painter, head, heading(), theme().muted, textFont(11));
  drawLine(painter, twoLines_ ? head.translated(0, kLine) : head,
           (bad ? QStringLiteral("✗  ") : QString()) + verdict(),
           bad                                                   ? theme().bad
           : whole_.gap != Gap::None || !snapshot_.error.empty() ? theme().muted
                                                                 : theme().good,
           textFont(11, Weight::Bold),
           (twoLines_ ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  if (repeatsCard()) {
    return;
  }
  const double top = 34 + (twoLines_ ? kLine : 0);
  const QSizeF area(all.width() - 28, all.height() - top - 8);
  const WholeScene scene = layoutWhole(*view_, whole_, area, theme().dark());
  painter.translate(14, top);
  for (const WholeCell& cell : scene.cells) {
    drawBox(painter, cell.rect, 2, cell.fill, cell.odd ? theme().bad : QColor(), 2);
    if (!cell.text.isEmpty()) {
      drawLine(painter, cell.rect, cell.text, theme().onCells, cellFont(cell.rect.width()),
               Qt::AlignCenter);
    }
  }
  for (const auto& [rect, text] : scene.labels) {
    drawLine(painter, rect, text, theme().muted, textFont(10), Qt::AlignCenter);
  }
  drawLine(painter, scene.leftRect, scene.left, theme().muted, textFont(10),
           Qt::AlignRight | Qt::AlignVCenter);
}

}  // namespace shardlens
