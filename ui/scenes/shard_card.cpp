#include "ui/scenes/shard_card.h"

#include "ui/scenes/assembled.h"
#include "ui/scenes/card_words.h"
#include "ui/text/format.h"

#include <QStringList>
#include <algorithm>
#include <array>
#include <cmath>

namespace shardlens {
namespace {

// Returns "8 of 32 rows drawn", or a shorter form if that does not fit in `width` pixels.
QString footOf(const ShardCard& card, double width) {
  QStringList parts;
  QStringList shorter;
  QStringList bare;
  const auto add = [&](std::int64_t some, std::int64_t of, const QString& word) {
    if (some < of) {
      parts << QStringLiteral("%1 of %2 %3").arg(some).arg(of).arg(word);
      shorter << QStringLiteral("%1/%2 %3").arg(some).arg(of).arg(word);
      bare << QStringLiteral("%1/%2").arg(some).arg(of);
    }
  };
  add(card.rows, card.slice.rowCount(), QStringLiteral("rows"));
  add(card.columns, card.slice.columnCount(), QStringLiteral("cols"));
  if (parts.isEmpty()) {
    return {};
  }
  for (const QString& text : {parts.join(QStringLiteral(", ")) + QStringLiteral(" drawn"),
                              shorter.join(QStringLiteral(", "))}) {
    if (kNoteDigit * static_cast<double>(text.size()) <= width) {
      return text;
    }
  }
  return bare.join(QStringLiteral(" × "));
}

// Returns true if the statistics of the shard report a NaN or an infinity.
bool hasOdd(const RankPart& part) {
  const Statistics* known = part.value == nullptr ? nullptr : &part.value->statistics;
  return known != nullptr &&
         (known->nans > 0 || !std::isfinite(known->min) || !std::isfinite(known->max));
}

double titleWidth(const QString& title) {
  return kTitleDigit * static_cast<double>(title.size()) + 8;
}

class CardLayout {
 public:
  CardLayout(const ShardsSource& source, const CardSizes& sizes)
      : source_(source), view_(source.view), sizes_(sizes) {}

  ShardCard card(const std::vector<std::vector<int>>& groups, const std::vector<int>& ranks,
                 QPointF at) const {
    const RankPart& part = view_.shown(ranks);
    const bool outside = part.where == RankLocation::NotInMesh;
    ShardCard card;
    card.rect = QRectF(at, QSizeF(sizes_.width, sizes_.height));
    const std::size_t behind =
        outside || sizes_.style.bare ? 0 : std::min<std::size_t>(ranks.size() - 1, 3);
    for (std::size_t sheet = behind; sheet > 0; --sheet) {
      const double offset = sizes_.style.sheet * static_cast<double>(sheet);
      card.sheets.push_back(card.rect.translated(offset, offset));
    }
    card.ranks = ranks;
    card.fullNote = cardNote(view_, groups, ranks);
    card.changed = view_.changed && part.where == RankLocation::Here;
    card.differs = groups.size() > 1;
    card.odd = hasOdd(part);
    card.isInferred = view_.isInferred;
    card.unlike = card.differs && &ranks != &groups.front() ? groups.front().front() : -1;
    card.slice = sliceOf(part, source_.slice);
    card.empty = emptyOf(card, part);
    layHead(card);
    if (card.empty.isEmpty()) {
      layBody(card, part);
    }
    return card;
  }

 private:
  QString emptyOf(const ShardCard& card, const RankPart& part) const {
    QString text = emptyText(source_.journal, view_, part);
    if (text.isEmpty() && !card.slice.hasPart) {
      text = QStringLiteral("outside\nthis slice");
    }
    return sizes_.style.compact ? text.section(u':', 0, 0) : text;
  }

  // Returns the ranks, or the first one and the number of the others if the list is too long.
  QString titleOf(const std::vector<int>& ranks, double room) const {
    const QString all = ranksLabel(ranks);
    if (sizes_.style.compact) return all.section(u' ', 1);
    if (titleWidth(all) <= room || ranks.size() == 1) return all;
    const QString some =
        QStringLiteral("rank %1 + %2 more").arg(ranks.front()).arg(ranks.size() - 1);
    return titleWidth(some) <= room + 8 ? some : some.section(u' ', 1);
  }

  void layHead(ShardCard& card) const {
    const CardStyle& style = sizes_.style;
    const double pad = style.compact ? style.padding : 11;
    const QRectF inner = card.rect.adjusted(pad, 0, -pad, 0);
    card.compact = style.compact;
    card.bare = style.bare;
    card.body = QRectF(card.rect.left() + style.padding, card.rect.top() + sizes_.header,
                       sizes_.width - 2 * style.padding,
                       sizes_.height - sizes_.header - style.padding - sizes_.foot);
    card.footRect =
        QRectF(card.body.left(), card.rect.bottom() - kFoot - 3, card.body.width(), kFoot);
    if (style.bare) {
      return;
    }
    card.title = titleOf(card.ranks, inner.width());
    card.titleRect = QRectF(inner.left(), inner.top() + 2, inner.width(),
                            style.compact     ? style.header - 3
                            : sizes_.twoLines ? 20
                                              : 27);
    card.note = style.compact ? QString() : card.fullNote;
    if (sizes_.twoLines) {
      card.noteRect = QRectF(inner.left(), inner.top() + 22, inner.width(), 16);
    } else if (!card.note.isEmpty()) {
      const double title = titleWidth(card.title);
      card.noteRect = card.titleRect.adjusted(title, 0, 0, 0);
      card.titleRect.setWidth(title);
    }
  }

  void layBody(ShardCard& card, const RankPart& part) const {
    card.rows = sampledCount(card.slice.rows, sizes_.rows);
    card.columns = sampledCount(card.slice.columns, sizes_.columns);
    if (!sizes_.style.bare) {
      card.foot = footOf(card, card.footRect.width());
    }
    if (sizes_.withFigures && part.value != nullptr) {
      card.figures = figuresText(part, card.footRect.width());
      card.figuresRect = card.foot.isEmpty() ? card.footRect : card.footRect.translated(0, -kFoot);
    }
    if (part.runs.size() == part.local.size() && !source_.padded.empty()) {
      layPadding(card);
    }
  }

  // Lays out the areas of padding in the scale of the cells.
  void layPadding(ShardCard& card) const {
    const auto missing = [&](int dim, std::int64_t held) -> std::int64_t {
      return dim < 0 ? 0 : source_.padded[static_cast<std::size_t>(dim)] - held;
    };
    const std::int64_t rows = missing(source_.slice.rowDim(), card.slice.rowCount());
    const std::int64_t columns = missing(source_.slice.columnDim(), card.slice.columnCount());
    if (card.rows == 0 || card.columns == 0 || (rows <= 0 && columns <= 0)) {
      return;
    }
    card.paddingText = paddingText(rows, columns);
    const QRectF last = cellRect(sizes_, card, card.rows - 1, card.columns - 1);
    const double left = card.body.left() + sizes_.labels;
    const double right = last.right() + sizes_.cellGap;
    const double bottom = last.bottom() + sizes_.cellGap;
    const double gap = sizes_.cellGap;
    const auto size = [](std::int64_t more, double cell, std::int64_t drawn, std::int64_t all) {
      return cell * static_cast<double>(more) * static_cast<double>(drawn) /
             static_cast<double>(all);
    };
    const double wide = std::min(size(std::max<std::int64_t>(columns, 0), sizes_.cell.width(),
                                      card.columns, card.slice.columnCount()),
                                 card.body.right() - right);
    const double high = std::min(size(std::max<std::int64_t>(rows, 0), sizes_.cell.height(),
                                      card.rows, card.slice.rowCount()),
                                 card.body.bottom() - bottom);
    if (high > 1) {
      card.padding.emplace_back(left, bottom, right - left + std::max(wide, 0.0) - gap, high - gap);
    }
    if (wide > 1) {
      card.padding.emplace_back(right, card.body.top(), wide - gap, bottom - card.body.top() - gap);
    }
  }

  const ShardsSource& source_;
  const TensorView& view_;
  const CardSizes& sizes_;
};

// Lays out the cells of one card.
class CellLayout {
 public:
  CellLayout(const ShardsSource& source, const CardSizes& sizes, const ShardCard& card)
      : source_(source),
        view_(source.view),
        sizes_(sizes),
        card_(card),
        part_(view_.shown(card.ranks)),
        lookup_(source.lookup(part_)),
        rows_(sampled(card.slice.rows, sizes.rows)),
        columns_(sampled(card.slice.columns, sizes.columns)) {
    const RankPart* from = card.unlike < 0 ? nullptr : view_.part(card.unlike);
    const bool isCompared =
        from != nullptr && part_.hasData() && from->hasData() && part_.local == from->local;
    from_ = isCompared ? from : nullptr;
    marksOdd_ = part_.hasData() && !isWhole(view_.record->dtype) && card.odd;
    isPending_ = !part_.away.empty();
  }

  ShardCell cell(std::int64_t row, std::int64_t column) const {
    const Stretch& down = rows_[static_cast<std::size_t>(row)];
    const Stretch& across = columns_[static_cast<std::size_t>(column)];
    ShardCell cell;
    cell.rect = cellRect(sizes_, card_, row, column);
    cell.flat = card_.slice.flat(down.first, across.first);
    cell.rows = down.length;
    cell.columns = across.length;
    cell.fill = source_.colours.colour(lookup_, cell.flat);
    inspect(cell);
    if (sizes_.characters > 0 && part_.hasData()) {
      cell.text = fittedText(cell.flat);
    }
    return cell;
  }

  RowLabel label(std::int64_t row) const {
    const QRectF first = cellRect(sizes_, card_, row, 0);
    const auto flat = card_.slice.flat(rows_[static_cast<std::size_t>(row)].first, 0);
    return {QRectF(card_.body.left() - 2, first.top(), sizes_.labels - 6, sizes_.cell.height()),
            source_.colours.rowLabel(lookup_, flat, source_.slice.rowDim()),
            isPending_ && !part_.masked(flat)};
  }

 private:
  // Returns the number, or the magnitude of a complex number if both parts do not fit.
  QString fittedText(std::int64_t flat) const {
    const DType dtype = view_.record->dtype;
    if (isComplex(dtype)) {
      const QString both = valueText(view_, part_, flat);
      if (both.size() <= sizes_.characters) {
        return both;
      }
    }
    return fittedNumber(part_.element(dtype, flat), dtype, sizes_.characters);
  }

  // Sets the marks of a cell. Examines all its elements, so that no NaN or difference is missed.
  void inspect(ShardCell& cell) const {
    const bool isInspected = from_ != nullptr || marksOdd_;
    if (!isInspected && !isPending_) {
      return;
    }
    // Masks cover whole rows of the last dimension, so one element per row suffices.
    const bool isUniform = !isInspected && card_.slice.columnStride == 1;
    const std::int64_t columns = isUniform ? 1 : cell.columns;
    std::int64_t masked = 0;
    for (std::int64_t row = 0; row < cell.rows; ++row) {
      for (std::int64_t column = 0; column < columns; ++column) {
        const auto flat =
            cell.flat + row * card_.slice.rowStride + column * card_.slice.columnStride;
        masked += isPending_ && part_.masked(flat) ? 1 : 0;
        cell.differs = cell.differs || (from_ != nullptr && differsAt(view_, part_, *from_, flat));
        cell.odd =
            cell.odd || (marksOdd_ && !std::isfinite(part_.element(view_.record->dtype, flat)));
      }
    }
    cell.masked = static_cast<double>(masked) /
                  static_cast<double>(std::max<std::int64_t>(cell.rows * columns, 1));
  }

  const ShardsSource& source_;
  const TensorView& view_;
  const CardSizes& sizes_;
  const ShardCard& card_;
  const RankPart& part_;
  const RankPart* from_ = nullptr;
  PartLookup lookup_;
  std::vector<Stretch> rows_;
  std::vector<Stretch> columns_;
  bool marksOdd_ = false;
  bool isPending_ = false;
};

// Returns the index range [first, end) of the cells that intersect the interval. The `count` cells
// have one size and begin at `edge`.
std::pair<std::int64_t, std::int64_t> meeting(double from, double to, double edge, double size,
                                              std::int64_t count) {
  const auto place = [&](double at) {
    return static_cast<std::int64_t>(std::clamp(at, 0.0, static_cast<double>(count)));
  };
  return {place(std::floor((from - edge) / size)), place(std::ceil((to - edge) / size))};
}

}  // namespace

ShardCard layoutCard(const ShardsSource& source, const CardSizes& sizes,
                     const std::vector<std::vector<int>>& groups, const std::vector<int>& ranks,
                     QPointF at) {
  return CardLayout(source, sizes).card(groups, ranks, at);
}

QRectF cellRect(const CardSizes& sizes, const ShardCard& card, std::int64_t row,
                std::int64_t column) {
  return {card.body.left() + sizes.labels + sizes.cell.width() * static_cast<double>(column),
          card.body.top() + sizes.cell.height() * static_cast<double>(row),
          sizes.cell.width() - sizes.cellGap, sizes.cell.height() - sizes.cellGap};
}

void layCells(const ShardsSource& source, const CardSizes& sizes, ShardCard& card,
              const QRectF& seen) {
  card.cells.clear();
  card.labels.clear();
  if (card.rows == 0 || card.columns == 0 || !card.rect.intersects(seen)) {
    return;
  }
  const auto [top, bottom] =
      meeting(seen.top(), seen.bottom(), card.body.top(), sizes.cell.height(), card.rows);
  const auto [left, right] = meeting(seen.left(), seen.right(), card.body.left() + sizes.labels,
                                     sizes.cell.width(), card.columns);
  const CellLayout layout(source, sizes, card);
  card.firstCell = QPoint(static_cast<int>(left), static_cast<int>(top));
  card.cellsAcross = static_cast<int>(right - left);
  for (std::int64_t row = top; row < bottom; ++row) {
    if (sizes.withLabels) {
      card.labels.push_back(layout.label(row));
    }
    for (std::int64_t column = left; column < right; ++column) {
      card.cells.push_back(layout.cell(row, column));
    }
  }
}

ShardCell layoutCell(const ShardsSource& source, const CardSizes& sizes, const ShardCard& card,
                     std::int64_t row, std::int64_t column) {
  return CellLayout(source, sizes, card).cell(row, column);
}

}  // namespace shardlens
