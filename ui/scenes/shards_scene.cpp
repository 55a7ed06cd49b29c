#include "ui/scenes/shards_scene.h"

#include "core/model/spec.h"
#include "ui/models/format.h"
#include "ui/scenes/assembled.h"
#include "ui/scenes/card_grid.h"
#include "ui/scenes/element_colours.h"

#include <algorithm>
#include <cmath>

namespace shardlens {
namespace {

constexpr double kHeader = 30;
constexpr double kPadding = 9;
constexpr double kGap = 14;
constexpr double kTermGap = 28;
constexpr double kCellGap = 2;
constexpr double kSheet = 5;
constexpr double kDigit = 7.5;
constexpr double kSmallestCard = 104;

// Which global indices a card holds: along the dimensions that are cut, or of the table whose rows
// it can answer for.
QString noteOf(const TensorView& view, const RankPart& part) {
  const Shape& shape = view.record->shape;
  QStringList notes;
  for (std::size_t dim = 0; view.mesh && dim < view.record->placements.size(); ++dim) {
    const auto* mask = std::get_if<MaskPartial>(&view.record->placements[dim]);
    if (mask != nullptr) {
      Placements cut(view.record->placements.size(), Replicate{});
      cut[dim] = Shard{mask->offsetDim};
      const auto owned = ownedRuns(mask->offsetShape, *view.mesh, cut, part.rank);
      notes << runsText(owned[static_cast<std::size_t>(mask->offsetDim)], QStringLiteral("id"));
    }
  }
  const bool looksUp = !notes.isEmpty();
  for (std::size_t dim = 0; !looksUp && dim < part.runs.size(); ++dim) {
    const bool whole = totalLength(part.runs[dim]) == shape[dim];
    if (!whole && totalLength(part.runs[dim]) > 0) {
      const QString word = dim == 0                  ? QStringLiteral("row")
                           : dim + 1 == shape.size() ? QStringLiteral("col")
                                                     : QStringLiteral("dim %1 ").arg(dim);
      notes << runsText(part.runs[dim], word);
    }
  }
  return notes.join(QStringLiteral(", "));
}

// Why a card has no cells; empty where it has some.
QString emptyNote(const Journal& journal, const TensorView& view, const RankPart& part) {
  if (part.where == Whereabouts::NotInMesh) {
    return QStringLiteral("not in\nthis mesh");
  }
  if (elementCount(part.local) > 0) {
    return part.value != nullptr ? QString()
           : part.where == Whereabouts::OtherProcess
               ? QStringLiteral("in another process's\nrecording")
           : isDry(journal) ? QStringLiteral("dry: no data")
                            : QStringLiteral("not captured");
  }
  for (std::size_t dim = 0; dim < part.runs.size(); ++dim) {
    if (totalLength(part.runs[dim]) == 0) {
      return QStringLiteral("empty\nfrom %1 of %2")
          .arg(part.runs[dim].empty() ? view.record->shape[dim] : part.runs[dim].front().begin)
          .arg(view.record->shape[dim]);
    }
  }
  return QStringLiteral("empty");
}

}  // namespace

Grid gridOf(const Shape& shape) {
  if (shape.empty()) {
    return {1, 1};
  }
  if (shape.size() == 1) {
    return {shape[0], 1};
  }
  return {elementCount(Shape(shape.begin(), shape.end() - 1)), shape.back()};
}

ShardsScene layoutShards(const Journal& journal, const Snapshot& snapshot, const TensorView& view,
                         QSizeF area, bool dark) {
  ShardsScene scene;
  if (view.record == nullptr || view.parts.empty()) {
    return scene;
  }
  auto copies = view.copies();
  std::size_t most = 1;
  for (const auto& ranks : copies) {
    most = std::max(most, ranks.size());
  }
  if (auto outside = view.outside(); !outside.empty()) {
    copies.push_back(std::move(outside));
  }
  const CardGrid grid =
      arrangeCards(view, static_cast<int>(copies.size()), area.width(), kSmallestCard);
  const double gapX = grid.termAcross.empty() ? kGap : kTermGap;
  const double gapY = grid.termDown.empty() ? kGap : kTermGap;
  const double sheets = kSheet * static_cast<double>(std::min<std::size_t>(most - 1, 3));

  Grid largest{1, 1};
  for (const RankPart& part : view.parts) {
    const Grid cells = gridOf(part.local);
    largest = {std::max(largest.rows, cells.rows), std::max(largest.columns, cells.columns)};
  }
  const ElementColours colours(journal, snapshot, view, dark);
  qsizetype digits = 1;
  for (const RankPart& part : view.parts) {
    if (elementCount(part.local) > 0) {
      digits = std::max(digits, colours.rowLabel(part, elementCount(part.local) - 1).size());
    }
  }
  const double labels = view.record->shape.empty() ? 0 : 8 + kDigit * static_cast<double>(digits);
  const double cardWidth = (area.width() - gapX * (grid.columns - 1)) / grid.columns - sheets;
  const double cardHeight = (area.height() - gapY * (grid.rows - 1)) / grid.rows - sheets;
  // Cells between their smallest and largest size; below it every n-th is shown.
  const auto fit = [](double room, std::int64_t count, double low, double high) {
    const auto shown = std::clamp<std::int64_t>(static_cast<std::int64_t>(room / low), 1, count);
    const auto stride = (count + shown - 1) / shown;
    const auto kept = (count + stride - 1) / stride;
    return std::pair(std::clamp(room / static_cast<double>(kept), low, high), stride);
  };
  const auto [cellWidth, strideX] =
      fit(cardWidth - 2 * kPadding - labels, std::max<std::int64_t>(largest.columns, 1), 5,
          largest.columns == 1 ? 150 : 76);
  const auto [cellHeight, strideY] =
      fit(cardHeight - kHeader - kPadding, std::max<std::int64_t>(largest.rows, 1), 6, 56);
  const auto shownColumns = (largest.columns + strideX - 1) / strideX;
  const auto shownRows = (largest.rows + strideY - 1) / strideY;
  const double width =
      std::clamp(labels + cellWidth * static_cast<double>(shownColumns) + 2 * kPadding,
                 std::min(190.0, cardWidth), std::max(cardWidth, kSmallestCard));
  const double height = kHeader + cellHeight * static_cast<double>(shownRows) + kPadding;
  const bool withText = cellWidth >= 28 && cellHeight >= 15 && strideX * strideY == 1;
  const bool withLabels = cellHeight >= 11;

  for (std::size_t i = 0; i < copies.size(); ++i) {
    const RankPart& part = view.shown(copies[i]);
    const bool outside = part.where == Whereabouts::NotInMesh;
    const auto [row, column] = grid.places[i];
    ShardCard card;
    card.rect =
        QRectF(column * (width + gapX + sheets), row * (height + gapY + sheets), width, height);
    const std::size_t behind = outside ? 0 : std::min<std::size_t>(copies[i].size() - 1, 3);
    for (std::size_t sheet = behind; sheet > 0; --sheet) {
      const double offset = kSheet * static_cast<double>(sheet);
      card.sheets.push_back(card.rect.translated(offset, offset));
    }
    card.ranks = copies[i];
    card.title = ranksLabel(copies[i]);
    card.note = outside ? QString() : noteOf(view, part);
    if (card.note.isEmpty() && behind > 0) {
      card.note = countText(static_cast<int>(copies[i].size()), {}, QStringLiteral("copies"));
    }
    card.changed = view.changed && part.where == Whereabouts::Here;
    card.differs = !copiesAgree(view, copies[i]);
    const Grid cells = gridOf(part.local);
    card.empty = emptyNote(journal, view, part);
    const double left = card.rect.left() + kPadding + labels;
    const double top = card.rect.top() + kHeader;
    for (std::int64_t r = 0; card.empty.isEmpty() && r < cells.rows; r += strideY) {
      const double y = top + cellHeight * static_cast<double>(r / strideY);
      if (withLabels && labels > 0) {
        const auto first = r * cells.columns;
        const bool pending = !part.away.empty();
        card.labels.push_back({QRectF(card.rect.left() + kPadding - 2, y, labels - 6, cellHeight),
                               colours.rowLabel(part, first), pending && !part.masked(first)});
      }
      for (std::int64_t c = 0; c < cells.columns; c += strideX) {
        const auto flat = r * cells.columns + c;
        ShardCell cell;
        cell.rect = QRectF(left + cellWidth * static_cast<double>(c / strideX), y,
                           cellWidth - kCellGap, cellHeight - kCellGap);
        cell.flat = flat;
        cell.fill = colours.colour(part, flat);
        cell.masked = part.masked(flat);
        if (withText && part.hasData()) {
          const double value = elementAt(view.record->dtype, part.value->data->data(), flat);
          const double digit = cellWidth < 34 ? 5.5 : cellWidth < 42 ? 6.1 : 6.7;
          cell.text = fittedNumber(value, view.record->dtype,
                                   static_cast<int>((cellWidth - kCellGap) / digit));
        }
        card.cells.push_back(std::move(cell));
      }
    }
    const QRectF whole = card.rect.adjusted(0, 0, sheets, sheets);
    scene.size = scene.size.expandedTo(QSizeF(whole.right(), whole.bottom()));
    if (column > 0 && !outside && !grid.termAcross.empty()) {
      scene.terms.push_back({QPointF(card.rect.left() - gapX / 2, card.rect.center().y()),
                             toQString(grid.termAcross)});
    }
    if (row > 0 && !outside && !grid.termDown.empty()) {
      scene.terms.push_back(
          {QPointF(card.rect.center().x(), card.rect.top() - gapY / 2), toQString(grid.termDown)});
    }
    scene.cards.push_back(std::move(card));
  }
  return scene;
}

}  // namespace shardlens
