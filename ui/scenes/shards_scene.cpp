#include "ui/scenes/shards_scene.h"

#include "core/model/spec.h"
#include "ui/models/format.h"
#include "ui/scenes/assembled.h"
#include "ui/scenes/card_grid.h"
#include "ui/scenes/card_words.h"
#include "ui/scenes/element_colours.h"
#include "ui/scenes/sampling.h"

#include <QStringList>
#include <algorithm>
#include <cmath>

namespace shardlens {
namespace {

constexpr double kTermGap = 28;
constexpr double kCellGap = 2;
constexpr double kDigit = 7.5;     // of the labels
constexpr double kTitleDigit = 7;  // of the other lines of a card, at most
constexpr double kNoteDigit = 6.2;
constexpr double kSmallestWidth = 5;  // of a cell
constexpr double kSmallestHeight = 6;
constexpr double kTextWidth = 24;  // of a cell with a number
constexpr double kTextHeight = 15;
constexpr double kFoot = 14;

// So many rows and columns of a shard are drawn however little room there is: it is scrolled then.
constexpr std::int64_t kFewestRows = 16;
constexpr std::int64_t kFewestRowsOfMany = 4;
constexpr std::size_t kManyCards = 64;
constexpr std::int64_t kFewestColumns = 8;

// The sizes of cards; compact where there are many.
struct Style {
  bool compact = false;
  double smallest = 104;
  double header = 30;
  double padding = 9;
  double gap = 14;
  double sheet = 5;
};
constexpr Style kRoomy{};
constexpr Style kCompact{true, 46, 17, 5, 6, 3};

// The ranks of a card's place, those that hold the same together.
using Copies = std::vector<std::vector<std::vector<int>>>;

Copies copiesOf(const TensorView& view) {
  Copies copies;
  for (const auto& ranks : view.copies()) {
    copies.push_back(alike(view, ranks));
  }
  if (auto outside = view.outside(); !outside.empty()) {
    copies.push_back({std::move(outside)});
  }
  return copies;
}

// Along the rows of the grid the global indices, where they are known, so that a jump shows.
Runs rowRuns(const RankPart& part, const Shape& whole) {
  const Grid cells = gridOf(part.local);
  const std::size_t ndim = part.local.size();
  if (ndim == 0 || part.runs.size() != ndim) {
    return {{0, cells.rows}};
  }
  if (ndim < 3) {
    return part.runs[0];
  }
  Runs rows{{0, 1}};
  for (std::size_t dim = 0; dim + 1 < ndim; ++dim) {
    Runs finer;
    for (const Run& outer : rows) {
      for (std::int64_t i = outer.begin; i < outer.begin + outer.length; ++i) {
        for (const Run& inner : part.runs[dim]) {
          appendRun(finer, {i * whole[dim] + inner.begin, inner.length});
        }
      }
    }
    rows = std::move(finer);
  }
  return rows;
}

Runs columnRuns(const RankPart& part) {
  const std::size_t ndim = part.local.size();
  return ndim < 2 || part.runs.size() != ndim ? Runs{{0, gridOf(part.local).columns}}
                                              : part.runs.back();
}

class Layout {
 public:
  Layout(const Journal& journal, const Snapshot& snapshot, const TensorView& view, QSizeF area,
         bool dark)
      : journal_(journal),
        view_(view),
        area_(area),
        colours_(journal, snapshot, view, dark),
        copies_(copiesOf(view)) {
    for (const RankPart& part : view.parts) {
      const Grid cells = gridOf(part.local);
      largest_ = {std::max(largest_.rows, cells.rows), std::max(largest_.columns, cells.columns)};
    }
    for (const auto& groups : copies_) {
      for (const auto& ranks : groups) {
        const bool outside = view.part(ranks.front())->where == Whereabouts::NotInMesh;
        most_ = outside ? most_ : std::max(most_, ranks.size());
      }
    }
    chooseStyle();
    chooseCells();
  }

  ShardsScene scene() const {
    ShardsScene scene;
    std::size_t index = 0;
    for (const auto& groups : copies_) {
      for (const auto& ranks : groups) {
        const auto [row, column] = grid_.places[index];
        ShardCard card =
            cardOf(groups, ranks,
                   QPointF(column * (width_ + gapX_ + sheets_), row * (height_ + gapY_ + sheets_)));
        const QRectF whole = card.rect.adjusted(0, 0, sheets_, sheets_);
        scene.size = scene.size.expandedTo(QSizeF(whole.right(), whole.bottom()));
        const QPointF centre = card.rect.center();
        if (const auto& sign = grid_.before[index]; !sign.empty()) {
          scene.terms.push_back(
              {QPointF(card.rect.left() - gapX_ / 2, centre.y()), toQString(sign)});
        }
        if (const auto& sign = grid_.above[index]; !sign.empty()) {
          scene.terms.push_back(
              {QPointF(centre.x(), card.rect.top() - gapY_ / 2), toQString(sign)});
        }
        scene.cards.push_back(std::move(card));
        ++index;
      }
    }
    if (view_.ranksLeft > 0) {
      scene.left = QStringLiteral("ranks from %1 on are not drawn: %2 of %3")
                       .arg(TensorView::kMostRanks)
                       .arg(view_.ranksLeft)
                       .arg(view_.ranksLeft + TensorView::kMostRanks);
    }
    return scene;
  }

 private:
  // As many cards as fit in across, in roomy cards if all of them can be seen then.
  void chooseStyle() {
    for (const Style& style : {kRoomy, kCompact}) {
      style_ = style;
      const double pitch = style.smallest + style.gap;
      grid_ = arrangeCards(view_, copies_, static_cast<int>((area_.width() + style.gap) / pitch));
      sheets_ = style.sheet * static_cast<double>(std::min<std::size_t>(most_ - 1, 3));
      gapX_ = grid_.hasSignsAcross() ? kTermGap : style.gap;
      gapY_ = grid_.hasSignsDown() ? kTermGap : style.gap;
      const double cells =
          kSmallestHeight * static_cast<double>(std::min(largest_.rows, fewestRows()));
      const double least = style.header + cells + style.padding;
      const bool wide = (style.smallest + sheets_ + gapX_) * grid_.columns - gapX_ <= area_.width();
      const bool high = (least + sheets_ + gapY_) * grid_.rows - gapY_ <= area_.height();
      if (wide && (high || copies_.size() <= 8)) {
        return;
      }
    }
  }

  std::int64_t fewestRows() const {
    return copies_.size() > kManyCards ? kFewestRowsOfMany : kFewestRows;
  }

  // Cells between their smallest and largest size; below it one stands for several.
  void chooseCells() {
    qsizetype digits = 1;
    for (const RankPart& part : view_.parts) {
      if (elementCount(part.local) > 0) {
        digits = std::max(digits, colours_.rowLabel(part, elementCount(part.local) - 1).size());
      }
    }
    double cardWidth = (area_.width() - gapX_ * (grid_.columns - 1)) / grid_.columns - sheets_;
    double cardHeight = (area_.height() - gapY_ * (grid_.rows - 1)) / grid_.rows - sheets_;
    cardWidth = std::max(cardWidth, style_.smallest);
    const double labels =
        view_.record->shape.empty() ? 0 : 8 + kDigit * static_cast<double>(digits);
    const std::int64_t columns = std::max<std::int64_t>(largest_.columns, 1);
    const std::int64_t rows = std::max<std::int64_t>(largest_.rows, 1);
    const auto fitColumns = [&](double beside) {
      const double room = cardWidth - 2 * style_.padding - beside;
      shownColumns_ = std::clamp<std::int64_t>(static_cast<std::int64_t>(room / kSmallestWidth),
                                               std::min(columns, kFewestColumns), columns);
      if (shownColumns_ < columns) {
        shownColumns_ =
            mostSpans([](const RankPart& part) { return columnRuns(part); }, shownColumns_);
      }
      cell_.setWidth(std::clamp(room / static_cast<double>(shownColumns_), kSmallestWidth,
                                columns == 1 ? 150.0 : 76.0));
    };
    labels_ = style_.compact ? 0 : labels;
    fitColumns(labels_);

    // Of few elements the numbers are worth scrolling for.
    const bool numbers = cell_.width() >= kTextWidth && rows <= kFewestRows && copies_.size() <= 16;
    const double lowest = numbers ? kTextHeight : kSmallestHeight;
    twoLines_ = !style_.compact && !notesFit(cardWidth);
    header_ = style_.header + (twoLines_ ? 12 : 0);
    for (const double foot : {0.0, kFoot}) {
      foot_ = foot;
      const double room = cardHeight - header_ - style_.padding - foot;
      shownRows_ = std::clamp<std::int64_t>(static_cast<std::int64_t>(room / lowest),
                                            std::min(rows, fewestRows()), rows);
      if (shownRows_ < rows) {
        shownRows_ =
            mostSpans([this](const RankPart& part) { return rowRuns(part, view_.record->shape); },
                      shownRows_);
      }
      cell_.setHeight(std::clamp(room / static_cast<double>(shownRows_), lowest, 56.0));
      if (shownRows_ == rows && shownColumns_ == columns) {
        break;
      }
    }
    const double all =
        labels_ + cell_.width() * static_cast<double>(shownColumns_) + 2 * style_.padding;
    width_ = std::clamp(all, std::min(190.0, cardWidth), std::max(cardWidth, all));
    height_ = header_ + cell_.height() * static_cast<double>(shownRows_) + style_.padding + foot_;
    withText_ = cell_.width() >= kTextWidth && cell_.height() >= kTextHeight;
    withLabels_ = labels_ > 0 && cell_.height() >= 11;
  }

  // How many of the rows or columns that there is room for are drawn of any shard.
  template <class RunsOf>
  std::int64_t mostSpans(RunsOf runsOf, std::int64_t room) const {
    std::int64_t most = 1;
    for (const RankPart& part : view_.parts) {
      if (part.hasData()) {
        most = std::max(most, static_cast<std::int64_t>(sampled(runsOf(part), room).size()));
      }
    }
    return most;
  }

  bool notesFit(double width) const {
    for (const auto& groups : copies_) {
      for (const auto& ranks : groups) {
        const double title = kTitleDigit * static_cast<double>(ranksLabel(ranks).size());
        const double note = kNoteDigit * static_cast<double>(noteOf(groups, ranks).size());
        if (title + note + 30 > width) {
          return false;
        }
      }
    }
    return true;
  }

  QString noteOf(const std::vector<std::vector<int>>& groups, const std::vector<int>& ranks) const {
    const RankPart& part = view_.shown(ranks);
    if (part.where == Whereabouts::NotInMesh) {
      return {};
    }
    if (groups.size() > 1) {
      return &ranks == &groups.front() ? QStringLiteral("copies differ")
                                       : differenceText(view_, part, view_.shown(groups.front()));
    }
    const QString owned = ownedText(view_, part);
    return !owned.isEmpty() || ranks.size() == 1
               ? owned
               : countText(static_cast<int>(ranks.size()), {}, QStringLiteral("copies"));
  }

  ShardCard cardOf(const std::vector<std::vector<int>>& groups, const std::vector<int>& ranks,
                   QPointF at) const {
    const RankPart& part = view_.shown(ranks);
    const bool outside = part.where == Whereabouts::NotInMesh;
    ShardCard card;
    card.rect = QRectF(at, QSizeF(width_, height_));
    const std::size_t behind = outside ? 0 : std::min<std::size_t>(ranks.size() - 1, 3);
    for (std::size_t sheet = behind; sheet > 0; --sheet) {
      const double offset = style_.sheet * static_cast<double>(sheet);
      card.sheets.push_back(card.rect.translated(offset, offset));
    }
    card.ranks = ranks;
    card.title = style_.compact ? ranksLabel(ranks).section(u' ', 1) : ranksLabel(ranks);
    card.fullNote = noteOf(groups, ranks);
    card.changed = view_.changed && part.where == Whereabouts::Here;
    card.differs = groups.size() > 1;
    card.unlike = card.differs && &ranks != &groups.front() ? groups.front().front() : -1;
    card.empty = style_.compact ? emptyText(journal_, view_, part).section(u':', 0, 0)
                                : emptyText(journal_, view_, part);
    layHead(card);
    if (card.empty.isEmpty()) {
      layCells(card, part, groups);
    }
    return card;
  }

  void layHead(ShardCard& card) const {
    const double pad = style_.compact ? style_.padding : 11;
    const QRectF inner = card.rect.adjusted(pad, 0, -pad, 0);
    card.compact = style_.compact;
    card.titleRect = QRectF(inner.left(), inner.top() + 2, inner.width(),
                            style_.compact ? style_.header - 3
                            : twoLines_    ? 20
                                           : 27);
    card.note = style_.compact ? QString() : card.fullNote;
    if (twoLines_) {
      card.noteRect = QRectF(inner.left(), inner.top() + 22, inner.width(), 16);
    } else if (!card.note.isEmpty()) {
      const double title = kTitleDigit * static_cast<double>(card.title.size()) + 8;
      card.noteRect = card.titleRect.adjusted(title, 0, 0, 0);
      card.titleRect.setWidth(title);
    }
    card.body = QRectF(card.rect.left() + style_.padding, card.rect.top() + header_,
                       width_ - 2 * style_.padding, height_ - header_ - style_.padding - foot_);
    card.footRect =
        QRectF(card.body.left(), card.rect.bottom() - kFoot - 3, card.body.width(), kFoot);
  }

  void layCells(ShardCard& card, const RankPart& part,
                const std::vector<std::vector<int>>& groups) const {
    const Grid cells = gridOf(part.local);
    const auto rows = sampled(rowRuns(part, view_.record->shape), shownRows_);
    const auto columns = sampled(columnRuns(part), shownColumns_);
    card.foot =
        footOf({static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(columns.size())},
               cells, card.footRect.width());
    const RankPart* from = card.unlike < 0 ? nullptr : &view_.shown(groups.front());
    const bool pending = !part.away.empty();
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const double y = card.body.top() + cell_.height() * static_cast<double>(r);
      const auto first = rows[r].first * cells.columns;
      if (withLabels_) {
        card.labels.push_back({QRectF(card.body.left() - 2, y, labels_ - 6, cell_.height()),
                               colours_.rowLabel(part, first), pending && !part.masked(first)});
      }
      for (std::size_t c = 0; c < columns.size(); ++c) {
        ShardCell cell;
        cell.rect = QRectF(card.body.left() + labels_ + cell_.width() * static_cast<double>(c), y,
                           cell_.width() - kCellGap, cell_.height() - kCellGap);
        cell.flat = first + columns[c].first;
        cell.rows = rows[r].length;
        cell.columns = columns[c].length;
        cell.fill = colours_.colour(part, cell.flat);
        lookAt(cell, part, from, cells.columns);
        if (withText_ && part.hasData()) {
          const double digit = cell_.width() < 34 ? 5.5 : cell_.width() < 42 ? 6.1 : 6.7;
          cell.text =
              fittedNumber(part.element(view_.record->dtype, cell.flat), view_.record->dtype,
                           static_cast<int>((cell_.width() - kCellGap) / digit));
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

  static QString footOf(Grid shown, Grid all, double width) {
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

  const Journal& journal_;
  const TensorView& view_;
  QSizeF area_;
  ElementColours colours_;
  Copies copies_;
  Grid largest_;
  std::size_t most_ = 1;  // copies on one card
  Style style_;
  CardGrid grid_;
  double gapX_ = 0, gapY_ = 0, sheets_ = 0;
  double labels_ = 0, header_ = 0, foot_ = 0;
  double width_ = 0, height_ = 0;
  QSizeF cell_;
  std::int64_t shownRows_ = 1, shownColumns_ = 1;
  bool twoLines_ = false, withText_ = false, withLabels_ = false;
};

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
  if (view.record == nullptr || view.parts.empty()) {
    return {};
  }
  return Layout(journal, snapshot, view, area, dark).scene();
}

}  // namespace shardlens
