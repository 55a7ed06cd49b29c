#include "ui/pages/compared_tensors.h"

#include "ui/scenes/shard_slice.h"
#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"
#include "ui/text/empty_journal.h"
#include "ui/text/format.h"
#include "ui/widgets/shards_canvas.h"
#include "ui/widgets/shards_scroll.h"
#include "ui/widgets/slice_bar.h"
#include "ui/widgets/slice_canvas.h"
#include "ui/widgets/window_notation.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

namespace shardlens {
namespace {

constexpr std::int64_t kReadAtOnce = 20'000;  // elements per slice, a few milliseconds

QLabel* headingLabel(const char* name) {
  auto* label = new QLabel;
  label->setObjectName(QLatin1String(name));
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  atEachZoom(label, [label] { label->setFont(zoomed(textFont(12, Weight::Bold))); });
  return label;
}

}  // namespace

ComparedTensors::ComparedTensors(QWidget* parent)
    : QWidget(parent),
      verdict_(headingLabel("tensorVerdict")),
      rank_(new QComboBox),
      display_(new QComboBox),
      slice_(new SliceBar),
      difference_(new SliceCanvas) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(6);
  auto* beside = new QHBoxLayout;
  leftPart_ = addPart("leftShards", tr("Shards in A"), *beside);
  rightPart_ = addPart("rightShards", tr("Shards in B"), *beside);
  column->addLayout(beside, 1);
  rank_->setObjectName(QStringLiteral("differenceRank"));
  rank_->setAccessibleName(tr("Elements to compare: the whole or one rank"));
  rank_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  display_->setObjectName(QStringLiteral("differenceDisplay"));
  display_->setAccessibleName(tr("Display of the difference"));
  display_->addItems({tr("Heat map"), tr("Table")});
  auto* controls = new QHBoxLayout;
  controls->setSpacing(6);
  controls->addWidget(verdict_, 1);
  controls->addWidget(rank_);
  controls->addWidget(display_);
  column->addLayout(controls);
  column->addWidget(slice_);
  slice_->setSlice(TensorSlice());
  difference_->setObjectName(QStringLiteral("differenceCanvas"));
  difference_->setAccessibleName(tr("Difference of the tensors, A − B"));
  difference_->setDraws(SliceCanvas::Draws::Colours);
  column->addWidget(difference_, 1);
  difference_->setIndices(SliceCanvas::Indices::Global);
  connect(rank_, &QComboBox::currentIndexChanged, this, [this] {
    odd_ = -1;
    isRankOfVerdict_ = false;
    showDifference();
  });
  connect(display_, &QComboBox::currentIndexChanged, this, [this](int index) {
    difference_->setDraws(index == 0 ? SliceCanvas::Draws::Colours : SliceCanvas::Draws::Numbers);
  });
  connect(slice_, &SliceBar::sliceChosen, this, [this] { difference_->setSlice(slice_->slice()); });
  connect(&reading_, &QTimer::timeout, this, &ComparedTensors::readMore);
}

ComparedTensors::Part ComparedTensors::addPart(const char* name, const QString& accessibleName,
                                               QBoxLayout& into) {
  Part part{headingLabel(name), new ShardsScroll, nullptr};
  part.heading->setObjectName(QLatin1String(name) + QStringLiteral("Heading"));
  part.shards->setObjectName(QLatin1String(name));
  part.shards->canvas().setObjectName(QLatin1String(name) + QStringLiteral("Canvas"));
  part.shards->canvas().setAccessibleName(accessibleName);
  auto* column = new QVBoxLayout;
  column->setSpacing(2);
  column->addWidget(part.heading);
  column->addWidget(part.shards, 1);
  into.addLayout(column, 1);
  return part;
}

void ComparedTensors::showPart(Part& part, const QString& letter, const Side& side) {
  const auto view =
      std::make_shared<const TensorView>(viewTensor(*side.journal, side.snapshot, side.tensor));
  const auto record = view->record;
  if (record == nullptr) {
    part.heading->setText(tr("%1: no such tensor").arg(letter));
  } else {
    QStringList facts{toQString(record->name), tensorText(*record),
                      placedText(*side.journal, *record, notationOf(*this))};
    facts.removeAll(QString());  // a plain tensor has no placements
    part.heading->setText(tr("%1: %2").arg(letter, facts.join(QStringLiteral("  ·  "))));
  }
  part.view = record == nullptr ? nullptr : view;
  part.shards->canvas().setTensor(*side.journal, side.snapshot, view,
                                  record == nullptr ? TensorSlice() : firstSlice(*record));
}

void ComparedTensors::setSides(const Side& left, const Side& right, const Verdict& verdict) {
  left_ = left;
  right_ = right;
  showPart(leftPart_, tr("A"), left);
  showPart(rightPart_, tr("B"), right);
  verdict_->setText(verdict.text);
  fillRanks();
  odd_ = rank_->currentData().toInt() == TensorElements::kWhole ? verdict.rank : -1;
  showDifference();
}

void ComparedTensors::clear() {
  const Side none{&emptyJournal(), {}, 0};
  setSides(none, none, {});
}

// Offers the whole and the ranks that both recordings have. Keeps the one that the user selected.
void ComparedTensors::fillRanks() {
  const QSignalBlocker quiet(rank_);
  const bool isChosen = rank_->count() > 0 && !std::exchange(isRankOfVerdict_, false);
  const int chosen = isChosen ? rank_->currentData().toInt() : TensorElements::kWhole;
  rank_->clear();
  rank_->addItem(tr("whole"), TensorElements::kWhole);
  if (leftPart_.view != nullptr && rightPart_.view != nullptr) {
    for (const RankPart& part : leftPart_.view->parts) {
      if (rightPart_.view->part(part.rank) != nullptr) {
        rank_->addItem(tr("rank %1").arg(part.rank), part.rank);
      }
    }
  }
  rank_->setCurrentIndex(std::max(0, rank_->findData(chosen)));
}

void ComparedTensors::showDifference() {
  InspectedElements elements;
  const int rank = rank_->currentData().toInt();
  if (leftPart_.view != nullptr && rightPart_.view != nullptr) {
    elements.shown = TensorElements(*left_.journal, leftPart_.view, rank);
    elements.against = TensorElements(*right_.journal, rightPart_.view, rank);
  }
  slice_->setShape(elements.shown.shape());
  scan_ = ElementScan(elements);
  difference_->setElements(std::move(elements), slice_->slice());
  readMore();
}

// The scale is symmetric, so that elements that are equal have the colour of zero.
void ComparedTensors::readMore() {
  const bool isMore = !scan_.isDone() && scan_.advance(difference_->elements(), kReadAtOnce);
  isMore ? reading_.start(0) : reading_.stop();
  const ElementFigures& figures = scan_.figures();
  const double most = std::max(std::abs(figures.min), std::abs(figures.max));
  difference_->setScale(ColourScale(-most, most, theme().dark()));
  if (scan_.isDone() && most == 0 && odd_ >= 0) selectRank(odd_);
}

// Shows the difference of this rank until other tensors are set.
void ComparedTensors::selectRank(int rank) {
  rank_->setCurrentIndex(std::max(0, rank_->findData(rank)));
  isRankOfVerdict_ = true;
}

}  // namespace shardlens
