#include "ui/scenes/card_sizes.h"

#include "core/model/spec.h"
#include "ui/scenes/assembled.h"
#include "ui/scenes/card_words.h"
#include "ui/scenes/cell_text.h"
#include "ui/scenes/mesh_grid.h"
#include "ui/scenes/sampling.h"
#include "ui/text/format.h"

#include <algorithm>
#include <utility>

namespace shardlens {
namespace {

constexpr double kTermGap = 28;
constexpr double kDigit = 7.5;    // width of a digit of a row label
constexpr double kImageCell = 8;  // cells below this width or height are drawn as an image
constexpr double kSmallestCell = 3;
constexpr double kTextWidth = 24;  // minimum width of a cell with a number
constexpr double kTextHeight = 15;
constexpr double kLargestWidth = 76;  // of a cell; a single column may be wider
constexpr double kWidestColumn = 150;
constexpr double kLargestHeight = 56;
constexpr double kLongest = 1 << 20;  // maximum width and height of all cards together

// Minimum number of rows and columns drawn per shard. If they do not fit, the scene is scrolled.
constexpr std::int64_t kFewestRows = 16;
constexpr std::int64_t kFewestRowsOfMany = 8;
constexpr std::size_t kManyCards = 64;
constexpr std::int64_t kFewestColumns = 8;

// Maximum number of rows, and of columns, of shards that ShardsSource::alwaysNumbers applies to.
constexpr std::int64_t kMostNumbers = 64;
constexpr std::int64_t kMostColumns = 256;  // with numbers in a window

constexpr CardStyle kRoomyCard{};
constexpr CardStyle kCompact{true, false, false, 46, 17, 5, 6, 3};
constexpr CardStyle kBare{true, true, false, 2, 0, 0, 1, 0};

struct Cells {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
};

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
  Sizing(const ShardsSource& source, QSizeF area, double magnified)
      : source_(source),
        view_(source.view),
        copies_(source.copies),
        area_(area),
        showsAll_(magnified == Magnifier::kAll) {
    for (const RankPart& part : view_.parts) {
      slices_.push_back(sliceOf(part, source.slice));
      largest_.rows = std::max(largest_.rows, slices_.back().rowCount());
      largest_.columns = std::max(largest_.columns, slices_.back().columnCount());
    }
    largest_.rows = std::max(largest_.rows, paddedAlong(source.slice.rowDim()));
    largest_.columns = std::max(largest_.columns, paddedAlong(source.slice.columnDim()));
    for (const auto& groups : copies_) {
      for (const auto& ranks : groups) {
        const bool outside = view_.part(ranks.front())->where == RankLocation::NotInMesh;
        most_ = outside ? most_ : std::max(most_, ranks.size());
      }
    }
    textWidth_ = widthForNumbers();
    chooseStyle();
    chooseCells(roomOfCard());
    sizes_.most = mostMagnified();
    if (magnified > 1) {
      chooseCells(QSizeF(sizes_.width, sizes_.height) * std::min(magnified, sizes_.most));
    }
  }

  CardSizes take() { return std::move(sizes_); }

 private:
  std::int64_t paddedAlong(int dim) const {
    return dim < 0 || source_.padded.empty() ? 1 : source_.padded[static_cast<std::size_t>(dim)];
  }

  // Returns the roomy style with cards that are wide enough for numbers.
  CardStyle numberedStyle() const {
    CardStyle style = kRoomyCard;
    style.numbers = true;
    style.smallest =
        std::max(style.smallest, labelWidth() + 2 * style.padding +
                                     textWidth_ * static_cast<double>(largest_.columns));
    return style;
  }

  // Returns the minimum width of cells in which each number fits, so that no cell is empty among
  // cells with numbers. Reads small shards only; of others, few elements have a cell.
  double widthForNumbers() const {
    constexpr int kMost = 6;
    int characters = 0;
    if (!mayHaveNumbers() || largest_.columns > kMostColumns) return kTextWidth;
    const DType dtype = view_.record->dtype;
    const int around = isComplex(dtype) ? 2 : 0;  // "|5|"
    for (std::size_t i = 0; i < view_.parts.size(); ++i) {
      const RankPart& part = view_.parts[i];
      const ShardSlice& slice = slices_[i];
      for (std::int64_t row = 0; part.hasData() && row < slice.rowCount(); ++row) {
        for (std::int64_t column = 0; column < slice.columnCount(); ++column) {
          const double value = part.element(dtype, slice.flat(row, column));
          characters = std::max(characters, fewestCharacters(value, dtype) + around);
        }
      }
    }
    return std::max(kTextWidth, cellWidth(std::min(characters, kMost)) + kCellGap);
  }

  bool mayHaveNumbers() const {
    const bool always =
        source_.alwaysNumbers && largest_.rows <= kMostNumbers && largest_.columns <= kMostNumbers;
    return !showsAll_ && (always || (largest_.rows <= kFewestRows && copies_.size() <= 16));
  }

  // Returns as many cards per row as fit with this gap between them.
  CardGrid arranged(const CardStyle& style, double gap) const {
    const double pitch = style.smallest + gap;
    const int fitting = static_cast<int>((area_.width() + gap) / pitch);
    return arrangeCards(view_, copies_, [&](int places, int beside) {
      return style.bare ? columnsOfAll(places, area_, pitch * beside)
                        : wrappedColumns(places, std::max(1, fitting / beside));
    });
  }

  // Chooses the roomiest style in which the cards fit the area, and arranges them. Up to 8 cards
  // without numbers may be higher than the area.
  void chooseStyle() {
    std::vector<CardStyle> styles{kRoomyCard, kCompact};
    if (mayHaveNumbers()) styles.insert(styles.begin(), numberedStyle());
    if (showsAll_) styles.push_back(kBare);
    for (const CardStyle& style : styles) {
      sizes_.style = style;
      sizes_.grid = arranged(style, style.gap);
      if (style.numbers && sizes_.grid.hasSignsAcross()) {
        sizes_.grid = arranged(style, kTermGap);
      }
      sizes_.sheets = style.sheet * static_cast<double>(std::min<std::size_t>(most_ - 1, 3));
      const bool withSigns = !style.bare;
      sizes_.gapX = withSigns && sizes_.grid.hasSignsAcross() ? kTermGap : style.gap;
      sizes_.gapY = withSigns && sizes_.grid.hasSignsDown() ? kTermGap : style.gap;
      const double cells =
          lowestCell() * static_cast<double>(std::min(largest_.rows, fewestRows()));
      const double least = style.header + cells + style.padding;
      const bool wide =
          (style.smallest + sizes_.sheets + sizes_.gapX) * sizes_.grid.columns - sizes_.gapX <=
          area_.width();
      const bool high =
          (least + sizes_.sheets + sizes_.gapY) * sizes_.grid.rows - sizes_.gapY <= area_.height();
      const bool mayScroll =
          style.numbers ? source_.alwaysNumbers : wide && !showsAll_ && copies_.size() <= 8;
      if ((wide && high) || mayScroll) {
        return;
      }
    }
  }

  std::int64_t fewestRows() const {
    return sizes_.style.bare             ? 1
           : sizes_.style.numbers        ? largest_.rows
           : copies_.size() > kManyCards ? kFewestRowsOfMany
                                         : kFewestRows;
  }
  std::int64_t fewestColumns() const {
    return sizes_.style.bare ? 1 : sizes_.style.numbers ? largest_.columns : kFewestColumns;
  }
  double narrowestCell() const {
    return sizes_.style.bare ? 1 : sizes_.style.numbers ? textWidth_ : kSmallestCell;
  }
  double lowestCell() const {
    return sizes_.style.bare ? 1 : sizes_.style.numbers ? kTextHeight : kSmallestCell;
  }

  QSizeF roomOfCard() const {
    const double width =
        (area_.width() - sizes_.gapX * (sizes_.grid.columns - 1)) / sizes_.grid.columns -
        sizes_.sheets;
    const double height =
        (area_.height() - sizes_.gapY * (sizes_.grid.rows - 1)) / sizes_.grid.rows - sizes_.sheets;
    return {std::max(width, sizes_.style.smallest), height};
  }

  // Returns the width of the row labels; 0 for a scalar.
  double labelWidth() const {
    qsizetype digits = 0;
    for (std::size_t i = 0; i < view_.parts.size(); ++i) {
      const ShardSlice& slice = slices_[i];
      if (slice.rowCount() > 0 && slice.columnCount() > 0) {
        const PartLookup lookup = source_.lookup(view_.parts[i]);
        const auto last = slice.flat(slice.rowCount() - 1, 0);
        digits =
            std::max(digits, source_.colours.rowLabel(lookup, last, source_.slice.rowDim()).size());
      }
    }
    return view_.record->shape.empty() ? 0 : 8 + kDigit * static_cast<double>(digits);
  }

  // Chooses the cells' size. Omits the row labels if rows are too low for them.
  void chooseCells(QSizeF card) {
    constexpr double kLabelHeight = 11;
    chooseCells(card, /*withLabels=*/!sizes_.style.compact);
    if (sizes_.labels > 0 && sizes_.cell.height() < kLabelHeight) {
      chooseCells(card, /*withLabels=*/false);
    }
    sizes_.withLabels = sizes_.labels > 0;
  }

  // Cells have a size between the minimum and the maximum. If all elements do not fit at the
  // minimum, a cell stands for several elements.
  void chooseCells(QSizeF card, bool withLabels) {
    const double narrowest = narrowestCell();
    const std::int64_t columns = std::max<std::int64_t>(largest_.columns, 1);
    const std::int64_t rows = std::max<std::int64_t>(largest_.rows, 1);
    sizes_.labels = withLabels ? labelWidth() : 0;
    const double across = card.width() - 2 * sizes_.style.padding - sizes_.labels;
    sizes_.columns = std::clamp<std::int64_t>(static_cast<std::int64_t>(across / narrowest),
                                              std::min(columns, fewestColumns()), columns);
    if (sizes_.columns < columns) {
      sizes_.columns = mostSpans(&ShardSlice::columns, sizes_.columns);
    }
    sizes_.cell.setWidth(std::clamp(across / static_cast<double>(sizes_.columns), narrowest,
                                    columns == 1 ? kWidestColumn : kLargestWidth));

    // With few elements, numbers are shown even if the scene must be scrolled.
    const bool numbers =
        sizes_.cell.width() >= textWidth_ && rows <= kFewestRows && copies_.size() <= 16;
    const double lowest = numbers ? kTextHeight : lowestCell();
    sizes_.twoLines = !sizes_.style.compact && !notesFit(card.width());
    sizes_.header = sizes_.style.header + (sizes_.twoLines ? 12 : 0);
    for (const double feet : {0.0, 1.0, 2.0}) {
      sizes_.foot = sizes_.style.bare ? 0 : feet * kFoot;
      const double down = card.height() - sizes_.header - sizes_.style.padding - sizes_.foot;
      sizes_.rows = std::clamp<std::int64_t>(static_cast<std::int64_t>(down / lowest),
                                             std::min(rows, fewestRows()), rows);
      if (sizes_.rows < rows) {
        sizes_.rows = mostSpans(&ShardSlice::rows, sizes_.rows);
      }
      sizes_.cell.setHeight(
          std::clamp(down / static_cast<double>(sizes_.rows), lowest, kLargestHeight));
      const bool isSampled = sizes_.rows < rows || sizes_.columns < columns;
      sizes_.withFigures = !sizes_.style.compact && !(isLegible() && hasElements()) && hasFigures();
      if (feet >= (isSampled ? 1 : 0) + (sizes_.withFigures ? 1 : 0)) {
        break;
      }
    }
    const bool isImage = sizes_.cell.width() < kImageCell || sizes_.cell.height() < kImageCell;
    sizes_.cellGap = isImage ? 0 : kCellGap;
    const double all = sizes_.labels + sizes_.cell.width() * static_cast<double>(sizes_.columns) +
                       2 * sizes_.style.padding;
    sizes_.width = std::clamp(all, std::min(190.0, card.width()), std::max(card.width(), all));
    sizes_.height = sizes_.header + sizes_.cell.height() * static_cast<double>(sizes_.rows) +
                    sizes_.style.padding + sizes_.foot;
    sizes_.characters = isLegible() ? cellCharacters(sizes_.cell.width() - kCellGap) : 0;
  }

  // Returns the maximum number of rows or columns that a shard uses of the available room.
  std::int64_t mostSpans(Runs ShardSlice::*along, std::int64_t room) const {
    std::int64_t most = 1;
    for (std::size_t i = 0; i < slices_.size(); ++i) {
      if (view_.parts[i].value != nullptr) {
        most = std::max(most, sampledCount(slices_[i].*along, room));
      }
    }
    return most;
  }

  // Returns true if the cells have room for numbers.
  bool isLegible() const {
    return sizes_.cell.width() >= textWidth_ && sizes_.cell.height() >= kTextHeight;
  }

  bool hasElements() const { return std::ranges::any_of(view_.parts, &RankPart::hasData); }

  bool hasFigures() const {
    return std::any_of(view_.parts.begin(), view_.parts.end(),
                       [](const RankPart& part) { return part.value != nullptr; });
  }

  // Returns the factor at which each element has a cell of the maximum size, limited by kLongest.
  double mostMagnified() const {
    const double widest = largest_.columns == 1 ? kWidestColumn : kLargestWidth;
    const double width =
        widest * static_cast<double>(largest_.columns) + sizes_.labels + 2 * sizes_.style.padding;
    const double height =
        kLargestHeight * static_cast<double>(largest_.rows) + sizes_.header + sizes_.style.padding;
    const double most = std::max(width / sizes_.width, height / sizes_.height);
    const double longest =
        std::max(sizes_.width * sizes_.grid.columns, sizes_.height * sizes_.grid.rows);
    return std::max(1.0, std::min(most, kLongest / longest));
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
  bool showsAll_;
  std::vector<ShardSlice> slices_;  // for each part of the view
  Cells largest_;
  std::size_t most_ = 1;           // maximum number of ranks on one card
  double textWidth_ = kTextWidth;  // minimum width of a cell with a number
  CardSizes sizes_;
};

}  // namespace

ShardsSource::ShardsSource(const Journal& journal, const Snapshot& snapshot, const TensorView& view,
                           TensorSlice slice, bool dark)
    : journal(journal),
      snapshot(snapshot),
      view(view),
      slice(std::move(slice)),
      colours(view, dark),
      copies(copiesOf(view)),
      padded(paddedShape(view)) {}

CardSizes sizeCards(const ShardsSource& source, QSizeF area, double magnified) {
  return Sizing(source, area, magnified).take();
}

}  // namespace shardlens
