#include "ui/widgets/slice_canvas.h"

#include "ui/scenes/colour.h"
#include "ui/text/format.h"
#include "ui/widgets/own_action.h"
#include "ui/widgets/paint.h"
#include "ui/widgets/slice_painter.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLocale>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <limits>
#include <utility>

namespace shardlens {
namespace {

constexpr double kNumberWidth = 76;
constexpr double kNumberHeight = 21;
constexpr double kHeading = 19;
constexpr double kLegend = 84;
constexpr double kWidestFit = 40;  // maximum size of a fitted cell, in pixels
constexpr double kHighestFit = 24;
constexpr int kMostZoom = 64;
constexpr std::int64_t kMostCopied = 100000;

int barValue(std::int64_t value) {
  return static_cast<int>(std::clamp<std::int64_t>(value, 0, std::numeric_limits<int>::max() / 2));
}

}  // namespace

SliceCanvas::SliceCanvas(QWidget* parent) : QAbstractScrollArea(parent) {
  setObjectName(QStringLiteral("sliceCanvas"));
  setAccessibleName(tr("Elements of the tensor"));
  setFocusPolicy(Qt::StrongFocus);
  setFrameShape(QFrame::NoFrame);
  setMinimumSize(160, 70);
  connect(&Zoom::now(), &Zoom::changed, this, &SliceCanvas::layOut);
  addOwnAction(*this, tr("History of the element"), Qt::Key_Return,
               [this] { Q_EMIT cellChosen(); });
  addOwnAction(*this, tr("Copy cells"), QKeySequence::Copy, [this] { copy(); });
  addOwnAction(*this, tr("Zoom in"), Qt::Key_Plus, [this] { zoom(1); });
  addOwnAction(*this, tr("Zoom out"), Qt::Key_Minus, [this] { zoom(-1); });
  addOwnAction(*this, tr("Fit to window"), Qt::Key_0, [this] { zoom(0); });
}

void SliceCanvas::setElements(InspectedElements elements, const TensorSlice& slice) {
  elements_ = std::move(elements);
  setSlice(slice);
}

void SliceCanvas::setSlice(const TensorSlice& slice) {
  slice_ = slice;
  layOut();
  moveTo(current_, Extend::No);
}

void SliceCanvas::setDraws(Draws draws) {
  if (std::exchange(draws_, draws) != draws) {
    layOut();
    moveTo(current_, Extend::No);
  }
}

void SliceCanvas::setIndices(Indices indices) {
  indices_ = indices;
  layOut();
}

void SliceCanvas::setScale(const ColourScale& scale) {
  scale_ = scale;
  layOut();
}

QString SliceCanvas::emptyText() const {
  const QString missing = elements_.missing();
  return missing.isEmpty() && slice_.isEmpty() ? tr("No elements.") : missing;
}

QString SliceCanvas::sampledText() const {
  const std::int64_t all = grid_.rowsSeen() * grid_.columnsSeen();
  const QSize pixels = imageSize();
  const std::int64_t drawn = static_cast<std::int64_t>(pixels.width()) * pixels.height();
  const QLocale counts(QLocale::English);
  return draws_ == Draws::Numbers || drawn >= all
             ? QString()
             : tr("%1 of %2 cells drawn")
                   .arg(counts.toString(static_cast<qlonglong>(drawn)),
                        counts.toString(static_cast<qlonglong>(all)));
}

QSize SliceCanvas::imageSize() const {
  const QSize pixels =
      (grid_.seenRect().size() * devicePixelRatioF() * Zoom::now().factor()).toSize();
  return SlicePainter{elements_, slice_, grid_, scale_}.imageSize(pixels);
}

QString SliceCanvas::heading(int dim, std::int64_t index) const {
  if (dim < 0) {
    return {};
  }
  const auto global = indices_ == Indices::Global ? elements_.shown.global(dim, index) : index;
  return global < 0 ? QStringLiteral("?") : QString::number(global);
}

QString SliceCanvas::headingOfRow(std::int64_t row) const { return heading(slice_.rowDim(), row); }
QString SliceCanvas::headingOfColumn(std::int64_t column) const {
  return heading(slice_.columnDim(), column);
}

void SliceCanvas::layOut() {
  image_ = QImage();
  const bool any = emptyText().isEmpty();
  grid_.rows = any ? slice_.rows() : 0;
  grid_.columns = any ? slice_.columns() : 0;
  const QFontMetricsF metrics(codeFont(10));
  const QString last = any ? headingOfRow(grid_.rows - 1) : QString();
  grid_.left = std::max(44.0, metrics.horizontalAdvance(last) + 14);
  grid_.top = kHeading;
  const bool colours = draws_ == Draws::Colours;
  const QSizeF seen = unzoomed(QSizeF(viewport()->size()));
  grid_.room = QSizeF(std::max(1.0, seen.width() - grid_.left - (colours ? kLegend : 0)),
                      std::max(1.0, seen.height() - grid_.top - 2));
  if (!colours) {
    grid_.width = kNumberWidth;
    grid_.height = kNumberHeight;
  } else if (zoom_ > 0) {
    grid_.width = grid_.height = zoom_;
  } else if (any) {
    grid_.width = std::min(kWidestFit, grid_.room.width() / static_cast<double>(grid_.columns));
    grid_.height = std::min(kHighestFit, grid_.room.height() / static_cast<double>(grid_.rows));
  }
  const std::int64_t rows = grid_.wholeRows();
  const std::int64_t columns = grid_.wholeColumns();
  verticalScrollBar()->setRange(0, barValue(grid_.rows - rows));
  verticalScrollBar()->setPageStep(barValue(rows));
  horizontalScrollBar()->setRange(0, barValue(grid_.columns - columns));
  horizontalScrollBar()->setPageStep(barValue(columns));
  grid_.first = {verticalScrollBar()->value(), horizontalScrollBar()->value()};
  viewport()->update();
}

void SliceCanvas::setCurrent(const SliceCell& cell) { moveTo(cell, Extend::No); }

void SliceCanvas::moveTo(SliceCell cell, Extend extend) {
  cell.row = std::clamp<std::int64_t>(cell.row, 0, std::max<std::int64_t>(0, grid_.rows - 1));
  cell.column =
      std::clamp<std::int64_t>(cell.column, 0, std::max<std::int64_t>(0, grid_.columns - 1));
  current_ = cell;
  if (extend == Extend::No) {
    anchor_ = cell;
  }
  const auto reach = [](QScrollBar& bar, std::int64_t at, std::int64_t seen) {
    bar.setValue(static_cast<int>(
        std::clamp<std::int64_t>(bar.value(), barValue(at - seen + 1), barValue(at))));
  };
  reach(*verticalScrollBar(), cell.row, grid_.wholeRows());
  reach(*horizontalScrollBar(), cell.column, grid_.wholeColumns());
  const QString empty = emptyText();
  setAccessibleDescription(empty.isEmpty() ? elements_.words(slice_.at(cell.row, cell.column))
                                           : empty);
  viewport()->update();
  Q_EMIT currentMoved();
}

void SliceCanvas::zoom(int steps) {
  if (steps == 0) {
    zoom_ = 0;
  } else {
    const int from = static_cast<int>(std::max(1.0, std::min(grid_.width, grid_.height)));
    zoom_ = std::clamp(steps > 0 ? from * 2 : from / 2, 1, kMostZoom);
  }
  layOut();
  moveTo(current_, Extend::No);
}

QString SliceCanvas::chosenText() const {
  const auto [top, bottom] = std::minmax(anchor_.row, current_.row);
  const auto [left, right] = std::minmax(anchor_.column, current_.column);
  if (!emptyText().isEmpty() || (bottom - top + 1) * (right - left + 1) > kMostCopied) {
    return {};
  }
  QStringList lines;
  for (std::int64_t row = top; row <= bottom; ++row) {
    QStringList cells;
    for (std::int64_t column = left; column <= right; ++column) {
      cells << elements_.text(slice_.at(row, column));
    }
    lines << cells.join(u'\t');
  }
  return lines.join(u'\n');
}

void SliceCanvas::copy() const {
  const QString text = chosenText();
  if (!text.isEmpty()) {
    QGuiApplication::clipboard()->setText(text);
  }
}

void SliceCanvas::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(viewport());
  painter.setRenderHint(QPainter::Antialiasing);
  shardlens::zoom(painter);
  if (const QString empty = emptyText(); !empty.isEmpty()) {
    painter.setPen(theme().muted);
    painter.setFont(textFont(12));
    painter.drawText(unzoomed(QRectF(viewport()->rect())).adjusted(12, 4, -12, -4),
                     Qt::AlignCenter | Qt::TextWordWrap, empty);
    return;
  }
  if (std::exchange(dark_, theme().dark()) != theme().dark()) {
    scale_ = ColourScale(scale_.low(), scale_.high(), dark_);
    image_ = QImage();
  }
  drawHeadings(painter);
  const SlicePainter cells{elements_, slice_, grid_, scale_};
  painter.save();
  painter.setClipRect(grid_.area());
  if (draws_ == Draws::Numbers) {
    cells.drawNumbers(painter);
  } else {
    if (image_.isNull()) {
      image_ = cells.image(imageSize());
    }
    cells.drawImage(painter, image_);
  }
  drawCursor(painter);
  painter.restore();
  if (draws_ == Draws::Colours) {
    const double right = grid_.left + std::min(grid_.room.width(), grid_.seenRect().width());
    cells.drawLegend(painter, QRectF(right + 12, grid_.top, kLegend - 12, grid_.room.height()));
  }
}

// Omits headings that would overlap.
void SliceCanvas::drawHeadings(QPainter& painter) const {
  const QFontMetricsF metrics(codeFont(10));
  const QColor muted = theme().muted;
  drawLine(painter, QRectF(4, 0, grid_.left - 8, kHeading),
           indices_ == Indices::Local ? tr("local") : tr("global"), muted, textFont(9));
  const auto draw = [&](const QRectF& rect, const QString& text, bool isCurrent) {
    drawLine(painter, rect, text, isCurrent ? theme().text : muted,
             codeFont(10, isCurrent ? Weight::Bold : Weight::Normal),
             Qt::AlignRight | Qt::AlignVCenter);
  };
  const auto strideOf = [](double size, double needed) {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(needed / size)));
  };
  const auto down = strideOf(grid_.height, 14);
  for (std::int64_t row = 0; row < grid_.rowsSeen(); row += down) {
    const std::int64_t at = grid_.first.row + row;
    const QRectF cell = grid_.rectOf({at, grid_.first.column});
    const double high = std::max(cell.height(), 14.0);
    if (cell.top() + high <= unzoomed(QSizeF(viewport()->size())).height() + 4) {
      draw(QRectF(2, cell.top(), grid_.left - 8, high), headingOfRow(at), at == current_.row);
    }
  }
  const QString last = headingOfColumn(grid_.columns - 1);
  const double needed = metrics.horizontalAdvance(last) + 8;
  const auto across = strideOf(grid_.width, needed);
  for (std::int64_t column = 0; column < grid_.columnsSeen(); column += across) {
    const std::int64_t at = grid_.first.column + column;
    const QRectF cell = grid_.rectOf({grid_.first.row, at});
    const bool numbers = draws_ == Draws::Numbers;
    const double wide = std::max(cell.width(), needed);
    if (cell.left() + needed <= grid_.area().right() + 1) {
      draw(QRectF(cell.left(), 0, wide - (numbers ? 6 : std::max(2.0, (wide - needed) / 2)),
                  kHeading),
           headingOfColumn(at), at == current_.column);
    }
  }
}

void SliceCanvas::drawCursor(QPainter& painter) const {
  const SliceCell low{std::min(anchor_.row, current_.row),
                      std::min(anchor_.column, current_.column)};
  const SliceCell high{std::max(anchor_.row, current_.row),
                       std::max(anchor_.column, current_.column)};
  const QColor colour = hasFocus() ? theme().accent : theme().faint;
  if (low != high) {
    QColor soft = theme().accent;
    soft.setAlphaF(0.18F);
    drawBox(painter, grid_.rectOf(low).united(grid_.rectOf(high)), 1, soft, colour);
  }
  const QRectF cell = grid_.rectOf(current_);
  const double more = std::max(0.0, (6 - std::min(cell.width(), cell.height())) / 2);
  drawBox(painter, cell.adjusted(-more, -more, more, more).adjusted(0.5, 0.5, -0.5, -0.5), 2,
          QColor(), colour, hasFocus() ? 2 : 1);
}

void SliceCanvas::resizeEvent(QResizeEvent* /*event*/) { layOut(); }

void SliceCanvas::scrollContentsBy(int /*dx*/, int /*dy*/) {
  grid_.first = {verticalScrollBar()->value(), horizontalScrollBar()->value()};
  image_ = QImage();
  viewport()->update();
}

// Reserves the cursor keys, because Left and Right would otherwise step through the recording.
bool SliceCanvas::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (grid_.reachedBy(*key, current_) && !(key->modifiers() & Qt::AltModifier)) {
      event->accept();
      return true;
    }
  }
  return QAbstractScrollArea::event(event);
}

bool SliceCanvas::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const auto cell = grid_.cellAt(unzoomed(QPointF(help->pos())));
    QToolTip::showText(help->globalPos(),
                       cell ? elements_.words(slice_.at(cell->row, cell->column)) : QString(),
                       viewport());
    return true;
  }
  return QAbstractScrollArea::viewportEvent(event);
}

void SliceCanvas::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Enter) {
    return void(Q_EMIT cellChosen());
  }
  const auto to = emptyText().isEmpty() ? grid_.reachedBy(*event, current_) : std::nullopt;
  if (!to) {
    return QAbstractScrollArea::keyPressEvent(event);
  }
  moveTo(*to, event->modifiers() & Qt::ShiftModifier ? Extend::Yes : Extend::No);
}

void SliceCanvas::mousePressEvent(QMouseEvent* event) {
  const auto cell = grid_.cellAt(unzoomed(event->position()));
  if (cell && event->button() == Qt::LeftButton) {
    moveTo(*cell, event->modifiers() & Qt::ShiftModifier ? Extend::Yes : Extend::No);
  } else if (cell && anchor_ == current_) {
    moveTo(*cell, Extend::No);
  }
}

void SliceCanvas::mouseMoveEvent(QMouseEvent* event) {
  const auto cell = grid_.cellAt(unzoomed(event->position()));
  if (cell && event->buttons() & Qt::LeftButton) {
    moveTo(*cell, Extend::Yes);
  }
}

void SliceCanvas::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton && anchor_ == current_ &&
      grid_.cellAt(unzoomed(event->position()))) {
    Q_EMIT cellChosen();
  }
}

void SliceCanvas::wheelEvent(QWheelEvent* event) {
  if (draws_ == Draws::Colours && event->modifiers() & Qt::ControlModifier) {
    if (event->angleDelta().y() != 0) {
      zoom(event->angleDelta().y() > 0 ? 1 : -1);
    }
    return event->accept();
  }
  QAbstractScrollArea::wheelEvent(event);
}

void SliceCanvas::focusInEvent(QFocusEvent* event) {
  QAbstractScrollArea::focusInEvent(event);
  viewport()->update();
}

void SliceCanvas::focusOutEvent(QFocusEvent* event) {
  QAbstractScrollArea::focusOutEvent(event);
  viewport()->update();
}

}  // namespace shardlens
