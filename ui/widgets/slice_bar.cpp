#include "ui/widgets/slice_bar.h"

#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSpinBox>
#include <algorithm>
#include <limits>

namespace shardlens {

SliceBar::SliceBar(QWidget* parent)
    : QWidget(parent),
      rows_(new QComboBox),
      columns_(new QComboBox),
      others_(new QComboBox),
      index_(new QSpinBox) {
  parts_ = new QBoxLayout(QBoxLayout::LeftToRight, this);
  parts_->setContentsMargins(0, 0, 0, 0);
  auto* shown = new QHBoxLayout;
  auto* fixed = new QHBoxLayout;
  const auto add = [](QHBoxLayout* row, const QString& text, QWidget* control, const char* name,
                      const QString& accessible) {
    auto* label = new QLabel(text);
    label->setForegroundRole(kMutedRole);
    atEachZoom(label, [label] { label->setFont(zoomed(textFont(11))); });
    control->setObjectName(QLatin1String(name));
    control->setAccessibleName(accessible);
    control->setToolTip(accessible);
    row->addWidget(label);
    row->addWidget(control);
  };
  add(shown, tr("rows"), rows_, "rowDimChoice", tr("Dimension of the rows"));
  add(shown, tr("columns"), columns_, "columnDimChoice", tr("Dimension of the columns"));
  add(fixed, tr("at"), others_, "otherDimChoice", tr("Dimension with a fixed index"));
  add(fixed, QString(), index_, "dimIndex", tr("Index in the fixed dimension"));
  for (QHBoxLayout* row : {shown, fixed}) {
    row->setSpacing(6);
    parts_->addLayout(row);
  }
  fixed->addStretch(1);
  for (QComboBox* box : {rows_, columns_, others_}) {
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(box == others_ ? 5 : 3);  // `others_` includes the index
  }
  const auto changed = [this] {
    fill();
    Q_EMIT sliceChosen();
  };
  atEachZoom(index_, [this] { fitIndex(); });
  connect(rows_, &QComboBox::activated, this, [this, changed](int dim) {
    slice_.setRowDim(dim);
    changed();
  });
  connect(columns_, &QComboBox::activated, this, [this, changed](int dim) {
    slice_.setColumnDim(dim);
    changed();
  });
  connect(others_, &QComboBox::currentIndexChanged, this, &SliceBar::fillIndex);
  connect(index_, &QSpinBox::valueChanged, this, [this](int index) {
    slice_.setIndex(otherDim(), index);
    const QSignalBlocker quiet(others_);
    others_->setItemText(others_->currentIndex(), textOf(otherDim()));
    Q_EMIT sliceChosen();
  });
}

void SliceBar::setShape(const Shape& shape) {
  if (shape != slice_.shape()) {
    setSlice(TensorSlice(shape));
  }
}

void SliceBar::setSlice(const TensorSlice& slice) {
  slice_ = slice;
  fill();
}

int SliceBar::otherDim() const {
  return others_->currentIndex() < 0 ? -1 : others_->currentData().toInt();
}

// Includes the index if there are several other dimensions.
QString SliceBar::textOf(int dim) const {
  return slice_.shape().size() == 3 ? tr("dim %1").arg(dim)
                                    : tr("dim %1: %2").arg(dim).arg(slice_.index(dim));
}

// Uses two rows if the bar is narrow.
void SliceBar::resizeEvent(QResizeEvent* event) {
  constexpr double kOneRow = 440;
  QWidget::resizeEvent(event);
  parts_->setDirection(width() < zoomed(kOneRow) ? QBoxLayout::TopToBottom
                                                 : QBoxLayout::LeftToRight);
}

void SliceBar::fill() {
  const int dims = static_cast<int>(slice_.shape().size());
  setVisible(dims > 2);
  if (dims < 3) {
    return;
  }
  const QSignalBlocker quietRows(rows_);
  const QSignalBlocker quietColumns(columns_);
  const QSignalBlocker blocker(others_);
  const int before = otherDim();
  rows_->clear();
  columns_->clear();
  others_->clear();
  for (int dim = 0; dim < dims; ++dim) {
    rows_->addItem(tr("dim %1").arg(dim));
    columns_->addItem(tr("dim %1").arg(dim));
    if (dim != slice_.rowDim() && dim != slice_.columnDim()) {
      others_->addItem(textOf(dim), dim);
    }
  }
  rows_->setCurrentIndex(slice_.rowDim());
  columns_->setCurrentIndex(slice_.columnDim());
  others_->setCurrentIndex(std::max(0, others_->findData(before)));
  fillIndex();
}

// Gives the box of the index room for its longest text beside the buttons.
void SliceBar::fitIndex() {
  constexpr int kButtons = 30;
  const QString longest = QString::number(index_->maximum()) + index_->suffix();
  const QFontMetrics metrics(zoomed(textFont(12)));
  index_->setMinimumWidth(metrics.horizontalAdvance(longest) + zoomed(kButtons));
}

void SliceBar::fillIndex() {
  const int dim = otherDim();
  if (dim < 0) {
    return;
  }
  const QSignalBlocker quiet(index_);
  const auto length = slice_.shape()[static_cast<std::size_t>(dim)];
  const auto last = std::min<std::int64_t>(std::max<std::int64_t>(length - 1, 0),
                                           std::numeric_limits<int>::max());
  index_->setRange(0, static_cast<int>(last));
  index_->setValue(static_cast<int>(slice_.index(dim)));
  index_->setSuffix(tr(" of %1").arg(length));
  fitIndex();
}

}  // namespace shardlens
