#include "ui/widgets/table_view.h"

#include "core/view/tables/markdown.h"
#include "ui/models/table_model.h"
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

class CellDelegate final : public QStyledItemDelegate {
 public:
  CellDelegate(QuietTable::Roles roles, QuietTable* view)
      : QStyledItemDelegate(view), roles_(roles), view_(view) {}

  QSize sizeHint(const QStyleOptionViewItem& /*option*/, const QModelIndex& index) const override {
    const QFont font =
        toneOf(index) == Tone::Plain ? codeFont(11, Weight::Bold) : textFont(11, Weight::Bold);
    const int icon = iconOf(index).isEmpty() ? 0 : kIcon;
    const int text = QFontMetrics(zoomed(font)).horizontalAdvance(index.data().toString());
    return {text + zoomed(icon + 14), roles_.below < 0
                                          ? view_->verticalHeader()->defaultSectionSize()
                                          : zoomed(heightOf(index))};
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
    QRectF room = cell.adjusted(6, 0, -6, 0);
    if (const QString icon = iconOf(index); !icon.isEmpty()) {
      const double side = kIcon - 4;
      painter->drawPixmap(
          QPointF(room.left(), room.center().y() - side / 2),
          tintedIcon(icon, colour, kIcon - 4, view_->devicePixelRatioF() * Zoom::now().factor()));
      room.setLeft(room.left() + kIcon);
    }
    if (const QString below = belowOf(index); !below.isEmpty()) {
      const QRectF foot(room.left(), room.bottom() - kBelow - 3, room.width(), kBelow);
      drawLine(*painter, foot, below, theme().muted, textFont(10));
      room.setBottom(foot.top());
    }
    const QString text = index.data().toString();
    const QFont wrapped = textFont(12, marked ? Weight::Bold : Weight::Normal);
    if (wraps(index)) {
      painter->setFont(wrapped);
      painter->setPen(colour);
      painter->drawText(room, Qt::TextWordWrap | Qt::AlignVCenter,
                        wholeLines(text, QFontMetricsF(wrapped), room.width(), kLines));
    } else {
      drawLine(
          *painter, room, text, colour,
          toned ? textFont(11, Weight::Bold) : codeFont(11, marked ? Weight::Bold : Weight::Normal),
          aligned.isValid() ? Qt::Alignment(aligned.toInt()) : Qt::AlignLeft | Qt::AlignVCenter,
          roles_.shared < 0 ? 0 : index.data(roles_.shared).toInt());
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
  static constexpr int kIcon = 18;   // with the gap after it
  static constexpr int kBelow = 15;  // height of the line below a text
  static constexpr int kLines = 3;   // maximum number of lines of a text

  bool wraps(const QModelIndex& index) const {
    return roles_.below >= 0 && toneOf(index) == Tone::Plain &&
           (index.data(Qt::TextAlignmentRole).toInt() & Qt::AlignRight) == 0;
  }

  // Returns the height of a cell whose text wraps at the present width of its column.
  int heightOf(const QModelIndex& index) const {
    constexpr int kAround = 8;
    const QFontMetricsF metrics(textFont(12, Weight::Bold));
    const double width = unzoomed(QSizeF(view_->columnWidth(index.column()), 0)).width() - 12;
    const QString text =
        wraps(index) ? wholeLines(index.data().toString(), metrics, std::max(width, 40.0), kLines)
                     : QString();
    const QRectF room(0, 0, std::max(width, 40.0), 1 << 20);
    const double height = metrics.boundingRect(room, Qt::TextWordWrap, text).height();
    return static_cast<int>(std::max(height, metrics.lineSpacing())) + kAround +
           (belowOf(index).isEmpty() ? 0 : kBelow);
  }

  Tone toneOf(const QModelIndex& index) const {
    return roles_.tone < 0 ? Tone::Plain : static_cast<Tone>(index.data(roles_.tone).toInt());
  }
  QString iconOf(const QModelIndex& index) const {
    return roles_.icon < 0 ? QString() : index.data(roles_.icon).toString();
  }

  QString belowOf(const QModelIndex& index) const {
    return roles_.below < 0 ? QString() : index.data(roles_.below).toString();
  }

  QuietTable::Roles roles_;
  QuietTable* view_;
};

}  // namespace

QuietTable::QuietTable(const QString& name, TableModel& model, Roles roles, QWidget* parent)
    : QTableView(parent), rows_(model), wraps_(roles.below >= 0) {
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
  if (wraps_) {
    // After the header has taken over the sections of the model.
    connect(&model, &QAbstractItemModel::modelReset, this, &QuietTable::fitRows,
            Qt::QueuedConnection);
    connect(columns, &QHeaderView::sectionResized, this, &QuietTable::fitRows,
            Qt::QueuedConnection);
    connect(&Zoom::now(), &Zoom::changed, this, &QuietTable::fitRows, Qt::QueuedConnection);
  }
}

void QuietTable::setDimmed(bool dimmed) {
  if (std::exchange(dimmed_, dimmed) != dimmed) {
    viewport()->update();
  }
}

int QuietTable::rowHeight() const { return zoomed(wraps_ ? kTwoLines : kOneLine); }

void QuietTable::fitRows() {
  resizeRowsToContents();
  updateGeometry();
}

QSize QuietTable::sizeHint() const {
  const int head = horizontalHeader()->isHidden() ? 0 : zoomed(kHead);
  const int rows = wraps_ ? verticalHeader()->length() : rows_.allRows() * rowHeight();
  return {200, head + rows + 2};
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
