#include "ui/widgets/table_view.h"

#include "core/view/tables/markdown.h"
#include "ui/models/table_model.h"
#include "ui/text/compact.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/paint.h"
#include "ui/widgets/row_actions.h"
#include "ui/widgets/tones.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <utility>

namespace shardlens {
namespace {

constexpr int kHead = 26;
constexpr int kCellMargin = 6;

// The lines of a cell with a text and a second text below it. Both have one line, or more if the
// room is too narrow.
struct CellLines {
  static constexpr double kText = 17;
  static constexpr double kBelow = 15;
  static constexpr int kMostOfText = 3;
  static constexpr int kMostBelow = 2;

  CellLines(const QString& first, const QString& second, double width, int most = kMostOfText)
      : text(textLines(first, QFontMetricsF(textFont(11, Weight::Bold)), width, most)),
        below(second.isEmpty()
                  ? QStringList()
                  : textLines(second, QFontMetricsF(textFont(10)), width, kMostBelow)) {}
  double height() const {
    return static_cast<double>(text.size()) * kText + static_cast<double>(below.size()) * kBelow;
  }

  QStringList text;  // elided as if it were bold, so that a marked row has as many lines
  QStringList below;
};

// Returns true for a cell that has several lines in a table with second texts: plain text at the
// left.
bool wraps(const QModelIndex& cell) {
  const Qt::Alignment alignment(cell.data(Qt::TextAlignmentRole).toInt());
  return !alignment.testFlag(Qt::AlignRight) &&
         cell.data(TableModel::ToneRole).toInt() == static_cast<int>(Tone::Plain);
}

class CellDelegate final : public QStyledItemDelegate {
 public:
  CellDelegate(QuietTable::Roles roles, QuietTable* view)
      : QStyledItemDelegate(view), roles_(roles), view_(view) {}

  QSize sizeHint(const QStyleOptionViewItem& /*option*/, const QModelIndex& index) const override {
    const QFont font =
        toneOf(index) == Tone::Plain ? codeFont(11, Weight::Bold) : textFont(11, Weight::Bold);
    const int icon = iconOf(index).isEmpty() ? 0 : kIcon;
    const int text = QFontMetrics(zoomed(font)).horizontalAdvance(textOf(index));
    return {text + zoomed(icon + 14), view_->verticalHeader()->defaultSectionSize()};
  }

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    const bool marked = roles_.marked >= 0 && index.data(roles_.marked).toBool();
    const Tone tone = toneOf(index);
    painter->save();
    zoom(*painter);
    const QRectF cell = unzoomed(QRectF(option.rect));
    if (marked && !view_->dimmed()) {
      painter->fillRect(cell, roles_.tone < 0 ? theme().goodSoft : theme().accentSoft);
    }
    const auto aligned = index.data(Qt::TextAlignmentRole);
    const bool toned = tone != Tone::Plain;
    const QColor colour = view_->dimmed() ? theme().muted : toneColour(tone);
    QRectF room = cell.adjusted(kCellMargin, 0, -kCellMargin, 0);
    if (const QString icon = iconOf(index); !icon.isEmpty()) {
      const double side = kIcon - 4;
      painter->drawPixmap(
          QPointF(room.left(), room.center().y() - side / 2),
          tintedIcon(icon, colour, kIcon - 4, view_->devicePixelRatioF() * Zoom::now().factor()));
      room.setLeft(room.left() + kIcon);
    }
    if (roles_.below >= 0 && wraps(index)) {
      CellLines lines(index.data().toString(), belowOf(index), room.width());
      if (lines.height() > cell.height()) {  // the row is not fitted to this width yet
        lines = CellLines(index.data().toString(), belowOf(index), room.width(),
                          CellLines::kMostOfText - 1);
      }
      double top = room.center().y() - lines.height() / 2;
      const auto draw = [&](const QString& line, double high, const QColor& ink,
                            const QFont& font) {
        drawLine(*painter, QRectF(room.left(), top, room.width(), high), line, ink, font);
        top += high;
      };
      const QFont font = textFont(11, marked ? Weight::Bold : Weight::Normal);
      for (const QString& line : lines.text) draw(line, CellLines::kText, colour, font);
      for (const QString& line : lines.below) {
        draw(line, CellLines::kBelow, theme().muted, textFont(10));
      }
    } else {
      drawLine(
          *painter, room, textOf(index), colour,
          toned ? textFont(11, Weight::Bold) : codeFont(11, marked ? Weight::Bold : Weight::Normal),
          aligned.isValid() ? Qt::Alignment(aligned.toInt()) : Qt::AlignLeft | Qt::AlignVCenter,
          sharedOf(index));
    }
    if (view_->hasFocus() && index.row() == view_->currentIndex().row()) {
      const double width = unzoomed(QSizeF(view_->viewport()->size())).width();
      const QRectF row(0, cell.top(), width, cell.height());
      painter->setClipRect(cell);
      drawBox(*painter, row.adjusted(0, 0, -1, 0), 3, QColor(), theme().accent);
    }
    painter->restore();
  }

 private:
  static constexpr int kIcon = 18;  // with the gap after it

  Tone toneOf(const QModelIndex& index) const {
    return roles_.tone < 0 ? Tone::Plain : static_cast<Tone>(index.data(roles_.tone).toInt());
  }
  QString iconOf(const QModelIndex& index) const {
    return roles_.icon < 0 ? QString() : index.data(roles_.icon).toString();
  }

  SharedParts sharedOf(const QModelIndex& index) const {
    if (roles_.shared < 0) return {};
    const auto [start, end] = index.data(roles_.shared).value<SharedLengths>();
    return {start, end};
  }

  QString textOf(const QModelIndex& index) const {
    const QString text = index.data().toString();
    return roles_.isCompact ? compactPlacements(text) : text;
  }

  QString belowOf(const QModelIndex& index) const {
    return roles_.below < 0 ? QString() : index.data(roles_.below).toString();
  }

  QuietTable::Roles roles_;
  QuietTable* view_;
};

}  // namespace

QuietTable::QuietTable(const QString& name, TableModel& model, Roles roles, QWidget* parent)
    : QTableView(parent), rows_(model), hasTwoLines_(roles.below >= 0) {
  auto* columns = horizontalHeader();
  columns->setSortIndicator(-1, Qt::AscendingOrder);
  columns->setSortIndicatorClearable(true);
  connect(columns, &QHeaderView::sortIndicatorChanged, columns,
          [columns](int column) { columns->setSortIndicatorShown(column >= 0); });
  setObjectName(name);
  setItemDelegate(new CellDelegate(roles, this));
  setShowGrid(false);
  setFrameShape(QFrame::NoFrame);
  setSelectionMode(QAbstractItemView::NoSelection);
  setFocusPolicy(Qt::StrongFocus);
  setTabKeyNavigation(false);
  offerCopying(*this);
  auto* copyTable = new QAction(tr("Copy table as Markdown"), this);
  copyTable->setObjectName(QStringLiteral("copyTable"));
  connect(copyTable, &QAction::triggered, this, [this] {
    const std::string text = view::tableMarkdown(rows_.shown());
    QGuiApplication::clipboard()->setText(QString::fromStdString(text));
  });
  addAction(copyTable);
  auto* filter = new QAction(tr("Filter rows"), this);
  connect(filter, &QAction::triggered, this, [this] { Q_EMIT filterRequested({}); });
  addAction(filter);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setWordWrap(false);
  verticalHeader()->hide();
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  verticalHeader()->setMinimumSectionSize(1);  // the style's minimum would make rows higher
  horizontalHeader()->setResizeContentsPrecision(TableModel::kNear);
  horizontalHeader()->setHighlightSections(false);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  setModel(&model);
  atEachZoom(this, [this] {
    verticalHeader()->setDefaultSectionSize(rowHeight());
    horizontalHeader()->setFixedHeight(zoomed(kHead));
    horizontalHeader()->setFont(zoomed(codeFont(10)));
    updateGeometry();
  });
  setSortingEnabled(true);
  columns->setSortIndicatorShown(false);  // it would need room in every column
  connect(&model, &QAbstractItemModel::modelAboutToBeReset, this, &QuietTable::keepCurrentRow);
  connect(&model, &QAbstractItemModel::modelReset, this, &QuietTable::findCurrentRow);
  connect(&model, &QAbstractItemModel::modelReset, this, [this] { updateGeometry(); });
  if (hasTwoLines_) {
    connect(&model, &QAbstractItemModel::modelReset, this, &QuietTable::fitRows);
    connect(&model, &QAbstractItemModel::layoutChanged, this, &QuietTable::fitRows);
    connect(columns, &QHeaderView::sectionResized, this, &QuietTable::fitRows);
    connect(columns, &QHeaderView::geometriesChanged, this, &QuietTable::fitRows);
    atEachZoom(this, [this] { fitRows(); });
  }
}

// Gives each of the first rows the height of its lines.
void QuietTable::fitRows() {
  constexpr int kMostFitted = 1000;
  for (int row = 0; row < std::min(rows_.rowCount(), kMostFitted); ++row) {
    int height = rowHeight();
    for (int column = 0; column < rows_.columnCount(); ++column) {
      const QModelIndex cell = rows_.index(row, column);
      if (isColumnHidden(column) || !wraps(cell)) continue;
      const double width = columnWidth(column) / Zoom::now().factor() - 2 * kCellMargin;
      const CellLines lines(cell.data().toString(), cell.data(TableModel::BelowRole).toString(),
                            width);
      height = std::max(height, zoomed(static_cast<int>(lines.height()) + 10));
    }
    setRowHeight(row, height);
  }
  updateGeometry();
}

void QuietTable::setDimmed(bool dimmed) {
  if (std::exchange(dimmed_, dimmed) != dimmed) {
    viewport()->update();
  }
}

int QuietTable::rowHeight() const { return zoomed(hasTwoLines_ ? kTwoLines : kOneLine); }

QSize QuietTable::sizeHint() const {
  const int head = horizontalHeader()->isHidden() ? 0 : zoomed(kHead);
  const int all = std::max(rows_.allRows() * rowHeight(), verticalHeader()->length());
  return {200, head + all + 2};
}

QSize QuietTable::minimumSizeHint() const {
  return {120, std::min(sizeHint().height(), zoomed(kHead) + 2 * rowHeight())};
}

void QuietTable::keyboardSearch(const QString& typed) {
  if (!typed.isEmpty() && typed.front().isPrint()) {
    Q_EMIT filterRequested(typed);
  }
}

void QuietTable::paintEvent(QPaintEvent* event) {
  QTableView::paintEvent(event);
  if (rows_.rowCount() == 0) {
    QPainter painter(viewport());
    zoom(painter);
    const double width = unzoomed(QSizeF(viewport()->size())).width();
    drawLine(painter, QRectF(6, 0, width - 12, kOneLine), emptyText_, theme().muted, textFont(11));
  }
}

void QuietTable::keepCurrentRow() {
  const int row = currentIndex().row();
  current_ = row < 0 ? std::vector<view::Cell>() : rows_.rowAt(row).cells;
  currentPlace_ = row < 0 ? 0 : rows_.placeOf(row);
}

// Restores the current row without scrolling to it.
void QuietTable::findCurrentRow() {
  const int row = current_.empty() ? -1 : rows_.find(current_, currentPlace_);
  if (row >= 0) {
    setAutoScroll(false);
    setCurrentIndex(rows_.index(row, 0));
    setAutoScroll(true);
  }
}

}  // namespace shardlens
