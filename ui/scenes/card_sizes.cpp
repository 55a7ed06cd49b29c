#include "ui/scenes/card_sizes.h"

#include "core/model/spec.h"
#include "ui/scenes/assembled.h"
#include "ui/scenes/card_words.h"
#include "ui/scenes/cell_text.h"
#include "ui/scenes/sampling.h"
#include "ui/text/format.h"

#include <algorithm>

namespace shardlens {
namespace {

constexpr double kTermGap = 28;
constexpr double kDigit = 7.5;        // of the labels
constexpr double kSmallestWidth = 5;  // of a cell
constexpr double kSmallestHeight = 6;
constexpr double kTextWidth = 24;  // of a cell with a number
constexpr double kTextHeight = 15;

// So many rows and columns of a shard are drawn however little room there is: it is scrolled then.
constexpr std::int64_t kFewestRows = 16;
constexpr std::int64_t kFewestRowsOfMany = 4;
constexpr std::size_t kManyCards = 64;
constexpr std::int64_t kFewestColumns = 8;

constexpr CardStyle kRoomy{};
constexpr CardStyle kCompact{true, 46, 17, 5, 6, 3};

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

class Sizing {
 public:
  Sizing(const ShardsSource& source, QSizeF area)
      : source_(source), view_(source.view), copies_(source.copies), area_(area) {
    for (const RankPart& part : view_.parts) {
      const Grid cells = gridOf(part.local);
      largest_ = {std::max(largest_.rows, cells.rows), std::max(largest_.columns, cells.columns)};
    }
    for (const auto& groups : copies_) {
      for (const auto& ranks : groups) {
        const bool outside = view_.part(ranks.front())->where == Whereabouts::NotInMesh;
        most_ = outside ? most_ : std::max(most_, ranks.size());
      }
    }
    chooseStyle();
    chooseCells();
  }

  CardSizes take() { return std::move(sizes_); }

 private:
  // As many cards as fit in across, in roomy cards if all of them can be seen then.
  void chooseStyle() {
    for (const CardStyle& style : {kRoomy, kCompact}) {
      sizes_.style = style;
      const double pitch = style.smallest + style.gap;
      sizes_.grid =
          arrangeCards(view_, copies_, static_cast<int>((area_.width() + style.gap) / pitch));
      sizes_.sheets = style.sheet * static_cast<double>(std::min<std::size_t>(most_ - 1, 3));
      sizes_.gapX = sizes_.grid.hasSignsAcross() ? kTermGap : style.gap;
      sizes_.gapY = sizes_.grid.hasSignsDown() ? kTermGap : style.gap;
      const double cells =
          kSmallestHeight * static_cast<double>(std::min(largest_.rows, fewestRows()));
      const double least = style.header + cells + style.padding;
      const bool wide =
          (style.smallest + sizes_.sheets + sizes_.gapX) * sizes_.grid.columns - sizes_.gapX <=
          area_.width();
      const bool high =
          (least + sizes_.sheets + sizes_.gapY) * sizes_.grid.rows - sizes_.gapY <= area_.height();
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
        digits = std::max(
            digits,
            source_.colours.rowLabel(source_.lookup(part), elementCount(part.local) - 1).size());
      }
    }
    double cardWidth =
        (area_.width() - sizes_.gapX * (sizes_.grid.columns - 1)) / sizes_.grid.columns -
        sizes_.sheets;
    double cardHeight =
        (area_.height() - sizes_.gapY * (sizes_.grid.rows - 1)) / sizes_.grid.rows - sizes_.sheets;
    cardWidth = std::max(cardWidth, sizes_.style.smallest);
    const double labels =
        view_.record->shape.empty() ? 0 : 8 + kDigit * static_cast<double>(digits);
    const std::int64_t columns = std::max<std::int64_t>(largest_.columns, 1);
    const std::int64_t rows = std::max<std::int64_t>(largest_.rows, 1);
    const auto fitColumns = [&](double beside) {
      const double room = cardWidth - 2 * sizes_.style.padding - beside;
      sizes_.columns = std::clamp<std::int64_t>(static_cast<std::int64_t>(room / kSmallestWidth),
                                                std::min(columns, kFewestColumns), columns);
      if (sizes_.columns < columns) {
        sizes_.columns =
            mostSpans([](const RankPart& part) { return columnRuns(part); }, sizes_.columns);
      }
      sizes_.cell.setWidth(std::clamp(room / static_cast<double>(sizes_.columns), kSmallestWidth,
                                      columns == 1 ? 150.0 : 76.0));
    };
    sizes_.labels = sizes_.style.compact ? 0 : labels;
    fitColumns(sizes_.labels);

    // Of few elements the numbers are worth scrolling for.
    const bool numbers =
        sizes_.cell.width() >= kTextWidth && rows <= kFewestRows && copies_.size() <= 16;
    const double lowest = numbers ? kTextHeight : kSmallestHeight;
    sizes_.twoLines = !sizes_.style.compact && !notesFit(cardWidth);
    sizes_.header = sizes_.style.header + (sizes_.twoLines ? 12 : 0);
    for (const double foot : {0.0, kFoot}) {
      sizes_.foot = foot;
      const double room = cardHeight - sizes_.header - sizes_.style.padding - foot;
      sizes_.rows = std::clamp<std::int64_t>(static_cast<std::int64_t>(room / lowest),
                                             std::min(rows, fewestRows()), rows);
      if (sizes_.rows < rows) {
        sizes_.rows =
            mostSpans([this](const RankPart& part) { return rowRuns(part, view_.record->shape); },
                      sizes_.rows);
      }
      sizes_.cell.setHeight(std::clamp(room / static_cast<double>(sizes_.rows), lowest, 56.0));
      if (sizes_.rows == rows && sizes_.columns == columns) {
        break;
      }
    }
    const double all = sizes_.labels + sizes_.cell.width() * static_cast<double>(sizes_.columns) +
                       2 * sizes_.style.padding;
    sizes_.width = std::clamp(all, std::min(190.0, cardWidth), std::max(cardWidth, all));
    sizes_.height = sizes_.header + sizes_.cell.height() * static_cast<double>(sizes_.rows) +
                    sizes_.style.padding + sizes_.foot;
    const bool withText = sizes_.cell.width() >= kTextWidth && sizes_.cell.height() >= kTextHeight;
    sizes_.characters = withText ? cellCharacters(sizes_.cell.width() - kCellGap) : 0;
    sizes_.withLabels = sizes_.labels > 0 && sizes_.cell.height() >= 11;
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
        const double note = kNoteDigit * static_cast<double>(cardNote(view_, groups, ranks).size());
        if (title + note + 30 > width) {
          return false;
        }
      }
    }
    return true;
  }

  const ShardsSource& source_;
  const TensorView& view_;
  const Copies& copies_;
  QSizeF area_;
  Grid largest_;
  std::size_t most_ = 1;  // copies on one card
  CardSizes sizes_;
};

}  // namespace

ShardsSource::ShardsSource(const Journal& journal, const Snapshot& snapshot, const TensorView& view,
                           bool dark)
    : journal(journal),
      snapshot(snapshot),
      view(view),
      colours(view, dark),
      copies(copiesOf(view)) {}

CardSizes sizeCards(const ShardsSource& source, QSizeF area) { return Sizing(source, area).take(); }

}  // namespace shardlens
