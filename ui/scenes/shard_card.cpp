#include "ui/scenes/shard_card.h"

#include "ui/scenes/assembled.h"
#include "ui/scenes/card_words.h"
#include "ui/scenes/sampling.h"
#include "ui/text/format.h"

#include <QStringList>
#include <algorithm>
#include <cmath>

namespace shardlens {
namespace {

// "8 of 32 rows drawn", in fewer words where there is less room.
QString footOf(Grid shown, Grid all, double width) {
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
  add(shown.rows, all.rows, QStringLiteral("rows"));
  add(shown.columns, all.columns, QStringLiteral("cols"));
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

class CardLayout {
 public:
  CardLayout(const ShardsSource& source, const CardSizes& sizes)
      : source_(source), view_(source.view), sizes_(sizes) {}

  ShardCard card(const std::vector<std::vector<int>>& groups, const std::vector<int>& ranks,
                 QPointF at) const {
    const RankPart& part = view_.shown(ranks);
    const bool outside = part.where == Whereabouts::NotInMesh;
    ShardCard card;
    card.rect = QRectF(at, QSizeF(sizes_.width, sizes_.height));
    const std::size_t behind = outside ? 0 : std::min<std::size_t>(ranks.size() - 1, 3);
    for (std::size_t sheet = behind; sheet > 0; --sheet) {
      const double offset = sizes_.style.sheet * static_cast<double>(sheet);
      card.sheets.push_back(card.rect.translated(offset, offset));
    }
    card.ranks = ranks;
    card.fullNote = cardNote(view_, groups, ranks);
    card.changed = view_.changed && part.where == Whereabouts::Here;
    card.differs = groups.size() > 1;
    card.unlike = card.differs && &ranks != &groups.front() ? groups.front().front() : -1;
    card.empty = sizes_.style.compact ? emptyText(source_.journal, view_, part).section(u':', 0, 0)
                                      : emptyText(source_.journal, view_, part);
    layHead(card);
    if (card.empty.isEmpty()) {
      layCells(card, part, groups);
    }
    return card;
  }

 private:
  static double titleWidth(const QString& title) {
    return kTitleDigit * static_cast<double>(title.size()) + 8;
  }

  // Which ranks; where their list is too long, the first of them and how many more.
  QString titleOf(const std::vector<int>& ranks, double room) const {
    const QString all = ranksLabel(ranks);
    if (sizes_.style.compact) return all.section(u' ', 1);
    if (titleWidth(all) <= room || ranks.size() == 1) return all;
    return QStringLiteral("rank %1 + %2 more").arg(ranks.front()).arg(ranks.size() - 1);
  }

  void layHead(ShardCard& card) const {
    const double pad = sizes_.style.compact ? sizes_.style.padding : 11;
    const QRectF inner = card.rect.adjusted(pad, 0, -pad, 0);
    card.compact = sizes_.style.compact;
    card.title = titleOf(card.ranks, inner.width());
    card.titleRect = QRectF(inner.left(), inner.top() + 2, inner.width(),
                            sizes_.style.compact ? sizes_.style.header - 3
                            : sizes_.twoLines    ? 20
                                                 : 27);
    card.note = sizes_.style.compact ? QString() : card.fullNote;
    if (sizes_.twoLines) {
      card.noteRect = QRectF(inner.left(), inner.top() + 22, inner.width(), 16);
    } else if (!card.note.isEmpty()) {
      const double title = titleWidth(card.title);
      card.noteRect = card.titleRect.adjusted(title, 0, 0, 0);
      card.titleRect.setWidth(title);
    }
    card.body = QRectF(card.rect.left() + sizes_.style.padding, card.rect.top() + sizes_.header,
                       sizes_.width - 2 * sizes_.style.padding,
                       sizes_.height - sizes_.header - sizes_.style.padding - sizes_.foot);
    card.footRect =
        QRectF(card.body.left(), card.rect.bottom() - kFoot - 3, card.body.width(), kFoot);
  }

  void layCells(ShardCard& card, const RankPart& part,
                const std::vector<std::vector<int>>& groups) const {
    const Grid cells = gridOf(part.local);
    const auto rows = sampled(rowRuns(part, view_.record->shape), sizes_.rows);
    const auto columns = sampled(columnRuns(part), sizes_.columns);
    card.foot =
        footOf({static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(columns.size())},
               cells, card.footRect.width());
    const RankPart* from = card.unlike < 0 ? nullptr : &view_.shown(groups.front());
    const PartLookup lookup = source_.lookup(part);
    const bool pending = !part.away.empty();
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const double y = card.body.top() + sizes_.cell.height() * static_cast<double>(r);
      const auto first = rows[r].first * cells.columns;
      if (sizes_.withLabels) {
        card.labels.push_back(
            {QRectF(card.body.left() - 2, y, sizes_.labels - 6, sizes_.cell.height()),
             source_.colours.rowLabel(lookup, first), pending && !part.masked(first)});
      }
      for (std::size_t c = 0; c < columns.size(); ++c) {
        ShardCell cell;
        cell.rect =
            QRectF(card.body.left() + sizes_.labels + sizes_.cell.width() * static_cast<double>(c),
                   y, sizes_.cell.width() - kCellGap, sizes_.cell.height() - kCellGap);
        cell.flat = first + columns[c].first;
        cell.rows = rows[r].length;
        cell.columns = columns[c].length;
        cell.fill = source_.colours.colour(lookup, cell.flat);
        lookAt(cell, part, from, cells.columns);
        if (sizes_.characters > 0 && part.hasData()) {
          cell.text = fittedNumber(part.element(view_.record->dtype, cell.flat),
                                   view_.record->dtype, sizes_.characters);
        }
        card.cells.push_back(std::move(cell));
      }
    }
  }

  // Everything that a cell stands for: nothing that is odd is left out of the picture.
  void lookAt(ShardCell& cell, const RankPart& part, const RankPart* from,
              std::int64_t columns) const {
    const bool compared =
        from != nullptr && part.hasData() && from->hasData() && part.local == from->local;
    const bool floating = part.hasData() && isFloating(view_.record->dtype);
    std::int64_t masked = 0;
    for (std::int64_t r = 0; r < cell.rows; ++r) {
      const auto row = cell.flat + r * columns;
      masked += part.masked(row) ? 1 : 0;
      for (std::int64_t flat = row; (compared || floating) && flat < row + cell.columns; ++flat) {
        cell.differs = cell.differs || (compared && differsAt(view_, part, *from, flat));
        cell.odd =
            cell.odd || (floating && !std::isfinite(part.element(view_.record->dtype, flat)));
      }
    }
    cell.masked =
        static_cast<double>(masked) / static_cast<double>(std::max<std::int64_t>(cell.rows, 1));
  }

  const ShardsSource& source_;
  const TensorView& view_;
  const CardSizes& sizes_;
};

}  // namespace

ShardCard layoutCard(const ShardsSource& source, const CardSizes& sizes,
                     const std::vector<std::vector<int>>& groups, const std::vector<int>& ranks,
                     QPointF at) {
  return CardLayout(source, sizes).card(groups, ranks, at);
}

}  // namespace shardlens
