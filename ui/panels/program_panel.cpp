#include "ui/panels/program_panel.h"

#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/records/program_source.h"
#include "core/view/words/empty_text.h"
#include "ui/text/format.h"
#include "ui/widgets/paint.h"
#include "ui/widgets/reveal.h"
#include "ui/widgets/row_actions.h"
#include "ui/widgets/window_notation.h"

#include <QLabel>
#include <QListView>
#include <QMouseEvent>
#include <QPainterPath>
#include <QPushButton>
#include <QStyledItemDelegate>
#include <QTextLayout>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <functional>
#include <utility>

namespace shardlens {
namespace {

constexpr int kProgramRow = 25;
constexpr int kProgramMargin = 17;            // for breakpoints
constexpr int kGutter = kProgramMargin + 16;  // plus the mark of the current line
constexpr int kAfter = 12;

// Returns the width of the largest number, with room for at least three digits.
int numbersWidth(const QModelIndex& index) {
  const auto last = index.model()->index(index.model()->rowCount() - 1, 0);
  const int number = std::max(100, last.data(ProgramModel::NumberRole).toInt());
  return QFontMetrics(codeFont(11)).horizontalAdvance(QString::number(number)) + 4;
}

QTextCharFormat formatOf(SourceToken token) {
  QTextCharFormat format;
  switch (token) {
    case SourceToken::Key:
      format.setForeground(theme().accent);
      break;
    case SourceToken::String:
      format.setForeground(theme().good);
      break;
    case SourceToken::Number:
      format.setForeground(theme().warn);
      break;
    case SourceToken::Keyword:
      format.setForeground(theme().accent);
      format.setFontWeight(QFont::Bold);
      break;
    case SourceToken::Comment:
      format.setForeground(theme().muted);
      format.setFontItalic(true);
      break;
  }
  return format;
}

// Draws a whole line of a file, with its tokens coloured.
void drawSource(QPainter& painter, const QRectF& room, const QString& text,
                const std::vector<SourceSpan>& tokens) {
  QTextLayout layout(text, codeFont(12), painter.device());
  QList<QTextLayout::FormatRange> formats;
  for (const SourceSpan& span : tokens) {
    formats << QTextLayout::FormatRange{static_cast<int>(span.start), static_cast<int>(span.length),
                                        formatOf(span.token)};
  }
  layout.setFormats(formats);
  layout.beginLayout();
  QTextLine line = layout.createLine();
  line.setNumColumns(static_cast<int>(text.size()));
  layout.endLayout();
  painter.setPen(theme().text);
  layout.draw(&painter, QPointF(room.left(), room.center().y() - line.height() / 2));
}

class LineDelegate final : public QStyledItemDelegate {
 public:
  explicit LineDelegate(QListView* view) : QStyledItemDelegate(view), view_(view) {}

  // A file's lines have the width of the longest, because they are scrolled sideways.
  QSize sizeHint(const QStyleOptionViewItem& /*option*/, const QModelIndex& index) const override {
    const auto* model = qobject_cast<const ProgramModel*>(index.model());
    if (!model->isSource()) {
      return {0, zoomed(kProgramRow)};
    }
    // The width of a letter is not rounded, because a line has many.
    const QFontMetricsF metrics(codeFont(12));
    const double text = metrics.horizontalAdvance(u'0') * model->longest();
    return {zoomed(textLeft(index) + text + kAfter), zoomed(kProgramRow)};
  }

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    zoom(*painter);
    const QRectF row = unzoomed(QRectF(option.rect));
    const bool current = index.data(ProgramModel::CurrentRole).toBool();
    const auto fate = static_cast<ProgramModel::Fate>(index.data(ProgramModel::FateRole).toInt());
    const bool refused = fate == ProgramModel::Refused;
    if (current || refused) {
      painter->fillRect(row, refused ? theme().badSoft : theme().accentSoft);
    }
    drawBreakpoint(*painter, row, index.data(ProgramModel::BreakpointRole).toInt());
    if (index.data(ProgramModel::MarkRole).toBool()) {
      drawMark(*painter, row, refused ? theme().bad : theme().accent);
    }
    drawLine(*painter, QRectF(row.left() + kGutter, row.top(), numbersWidth(index), row.height()),
             QString::number(index.data(ProgramModel::NumberRole).toInt()), theme().muted,
             codeFont(11), Qt::AlignRight | Qt::AlignVCenter);
    QRectF room = row.adjusted(textLeft(index), 0, -8, 0);
    const QVariant above = index.siblingAtRow(index.row() - 1).data(ProgramModel::FateRole);
    const bool isFirst = above.toInt() != ProgramModel::Refused;
    const QString word = refused && isFirst             ? QObject::tr("refused")
                         : fate == ProgramModel::NotRun ? QObject::tr("not run")
                                                        : QString();
    if (!word.isEmpty()) {
      const QRectF shown = unzoomed(QRectF(view_->viewport()->rect()));
      const QRectF place(shown.left(), row.top(), shown.width() - 8, row.height());
      drawLine(*painter, place, word, refused ? theme().bad : theme().muted,
               textFont(11, Weight::Bold), Qt::AlignRight | Qt::AlignVCenter);
      room.setRight(place.right() -
                    QFontMetrics(textFont(11, Weight::Bold)).horizontalAdvance(word) - kAfter);
    }
    const QColor colour = refused                        ? theme().bad
                          : fate == ProgramModel::NotRun ? theme().muted
                                                         : theme().text;
    const auto tokens = qobject_cast<const ProgramModel*>(index.model())->tokensOf(index);
    if (tokens.empty() || fate != ProgramModel::Usual) {
      drawLine(*painter, room, index.data().toString(), colour, codeFont(12));
    } else {
      drawSource(*painter, room, index.data().toString(), tokens);
    }
    if (view_->hasFocus() && index == view_->currentIndex()) {
      drawBox(*painter, row.adjusted(0, 0, -1, 0), 3, QColor(), theme().accent);
    }
    painter->restore();
  }

 private:
  static int textLeft(const QModelIndex& index) { return kGutter + numbersWidth(index) + kAfter; }

  static void drawMark(QPainter& painter, const QRectF& row, const QColor& colour) {
    const double y = row.center().y();
    const double left = row.left() + kProgramMargin + 7;
    QPainterPath mark(QPointF(left, y - 5));
    mark.lineTo(left + 8, y);
    mark.lineTo(left, y + 5);
    mark.closeSubpath();
    painter.fillPath(mark, colour);
  }

  // Draws a dot, hollow if the breakpoint is off.
  static void drawBreakpoint(QPainter& painter, const QRectF& row, int breaks) {
    if (breaks == ProgramModel::None) {
      return;
    }
    constexpr double kRadius = 5;
    painter.setPen(QPen(theme().bad, 1.5));
    painter.setBrush(breaks == ProgramModel::On ? theme().bad : QColor(Qt::transparent));
    painter.drawEllipse(QPointF(row.left() + kProgramMargin / 2.0 + 3, row.center().y()), kRadius,
                        kRadius);
  }

  QListView* view_;
};

// A list, not a text editor: each line is a read-only row with its step, fate and breakpoint. Keeps
// the current line visible when resized. A click in the margin does not move; it toggles the
// breakpoint.
class ProgramView final : public QListView {
 public:
  ProgramView(std::function<void(const QModelIndex&)> marginClicked, QWidget* parent)
      : QListView(parent), marginClicked_(std::move(marginClicked)) {}

 protected:
  void mousePressEvent(QMouseEvent* event) override {
    if (!isInMargin(*event)) {
      return QListView::mousePressEvent(event);
    }
    if (event->button() == Qt::LeftButton) {
      marginClicked_(indexAt(event->position().toPoint()));
    }
  }
  void mouseReleaseEvent(QMouseEvent* event) override {
    if (!isInMargin(*event)) {
      QListView::mouseReleaseEvent(event);
    }
  }
  void mouseDoubleClickEvent(QMouseEvent* event) override {
    isInMargin(*event) ? mousePressEvent(event) : QListView::mouseDoubleClickEvent(event);
  }
  void resizeEvent(QResizeEvent* event) override {
    QListView::resizeEvent(event);
    reveal(*this, currentIndex());
  }

 private:
  bool isInMargin(const QMouseEvent& event) const {
    return event.position().x() + horizontalOffset() < kProgramMargin + 4;
  }

  std::function<void(const QModelIndex&)> marginClicked_;
};

}  // namespace

ProgramPanel::ProgramPanel(QWidget* parent)
    : Panel(parent),
      model_(new ProgramModel(this)),
      view_(new ProgramView([this](const QModelIndex& index) { toggleBreakpointAt(index); }, this)),
      form_(new QToolButton),
      missing_(new QWidget),
      missingText_(new QLabel),
      find_(new QPushButton(tr("Locate file…"))) {
  view_->setObjectName(QStringLiteral("programView"));
  view_->setAccessibleName(tr("Lines of the program"));
  view_->setModel(model_);
  view_->setItemDelegate(new LineDelegate(view_));
  view_->setSelectionMode(QAbstractItemView::NoSelection);
  view_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  view_->setUniformItemSizes(true);
  connect(&Zoom::now(), &Zoom::changed, view_, &QListView::doItemsLayout);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(1, 6, 1, 6);
  layout->addWidget(view_);
  missingText_->setObjectName(QStringLiteral("missingSource"));
  missingText_->setAlignment(Qt::AlignCenter);
  missingText_->setTextFormat(Qt::PlainText);
  missingText_->setWordWrap(true);
  missingText_->setForegroundRole(kMutedRole);
  atEachZoom(missingText_, [label = missingText_] { label->setFont(zoomed(textFont(12))); });
  find_->setObjectName(QStringLiteral("findSource"));
  find_->setAccessibleName(tr("Locate the source file"));
  connect(find_, &QPushButton::clicked, this,
          [this] { Q_EMIT sourceRequested(toQString(model_->site().file)); });
  auto* missing = new QVBoxLayout(missing_);
  missing->addStretch(1);
  missing->addWidget(missingText_);
  missing->addWidget(find_, 0, Qt::AlignHCenter);
  missing->addStretch(1);
  layout->insertWidget(0, missing_, 1);
  missing_->hide();
  offerCopying(*view_);

  form_->setObjectName(QStringLiteral("programSource"));
  form_->setText(tr("source"));
  form_->setToolTip(tr("Show the text of the scenario file"));
  form_->setAccessibleName(tr("Show the text of the scenario file"));
  form_->setCheckable(true);
  atEachZoom(form_, [button = form_] { button->setFixedHeight(zoomed(22)); });
  form_->setFocusPolicy(Qt::TabFocus);
  header()->addControl(form_);
  connect(form_, &QToolButton::toggled, this, [this](bool source) {
    model_->setForm(source ? ProgramModel::Form::Source : ProgramModel::Form::Readable);
    showPlace();
    showCurrent();
  });
  onRowChosen(*view_, tr("Go to line"), [this](const QModelIndex& index) {
    if (const int step = model_->stepOf(index); step >= 0) {
      Q_EMIT stepRequested(step);
    }
  });
  offerChanging();
}

void ProgramPanel::offerChanging() {
  change_ = offerOnRow(*view_, "changeStep", tr("Edit step…"), [this](const QModelIndex& index) {
    Q_EMIT changeRequested(model_->stepOf(index));
  });
  whatIf_ = offerOnRow(*view_, "whatIfStep", tr("What if its result were placed differently…"),
                       [this](const QModelIndex& index) {
                         if (const int step = model_->stepOf(index); step >= 0) {
                           Q_EMIT whatIfStepRequested(step);
                         }
                       });
}

void ProgramPanel::setBreakpoints(BreakpointsModel& breakpoints) {
  breakpoints_ = &breakpoints;
  model_->setBreakpoints(breakpoints);
}

int ProgramPanel::currentStep() const { return model_->stepOf(view_->currentIndex()); }

QString ProgramPanel::currentQuery() const { return model_->queryOf(view_->currentIndex()); }

bool ProgramPanel::isCurrentBehind() const {
  const int step = model_->stepOf(view_->currentIndex());
  return step >= 0 && step <= step_;
}

void ProgramPanel::toggleBreakpoint() { toggleBreakpointAt(view_->currentIndex()); }

void ProgramPanel::toggleBreakpointAt(const QModelIndex& index) {
  const QString query = model_->queryOf(index);
  if (breakpoints_ != nullptr && !query.isEmpty()) {
    const QString line = tr("line %1: %2")
                             .arg(index.data(ProgramModel::NumberRole).toInt())
                             .arg(index.data().toString().trimmed());
    breakpoints_->toggle(line, query);
  }
}

void ProgramPanel::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  const int before = model_->currentRow();
  model_->setSnapshot(journal, snapshot, notationOf(*this));
  journal_ = &journal;
  showSource();
  change_->setEnabled(model_->steps() > 0);
  whatIf_->setEnabled(model_->steps() > 0);
  step_ = snapshot.step;
  showPlace();
  if (before != model_->currentRow() || !view_->currentIndex().isValid()) {
    showCurrent();
  }
}

// Shows the user's source. If the file is not found, states which line it would be.
void ProgramPanel::showSource() {
  const SiteRecord& site = model_->site();
  const QString file = toQString(site.file);
  const auto recorded = journal_->meta(sourceKey(site.file));
  model_->setUserSource(file.isEmpty() ? std::nullopt : files_.textOf(file, recorded));
  const bool isMissing = !file.isEmpty() && !model_->hasUserSource();
  const bool isUntold = file.isEmpty() && isImported(*journal_);
  missing_->setVisible(isMissing || isUntold);
  find_->setVisible(isMissing);
  view_->setVisible(!isMissing && !isUntold);
  form_->setVisible(file.isEmpty() && !isUntold);
  header()->setDetail(file.mid(file.lastIndexOf(u'/') + 1));
  missingText_->setText(isUntold ? toQString(view::noneText(*journal_, "lines of a program", {}))
                        : site.line > 0
                            ? tr("Source file not found: %2, line %1").arg(site.line).arg(file)
                            : tr("Source file not found: %1").arg(file));
}

void ProgramPanel::learnSource(const QString& recorded, const QString& path) {
  files_.learn(recorded, path);
  showSource();
  showCurrent();
}

// Shows the number of the marked line or step in the header.
void ProgramPanel::showPlace() {
  const bool source = model_->isSource();
  view_->setHorizontalScrollBarPolicy(source ? Qt::ScrollBarAsNeeded : Qt::ScrollBarAlwaysOff);
  header()->setNote(source ? (model_->line() > 0 ? tr("line %1").arg(model_->line()) : QString())
                    : step_ >= 0 ? tr("step %1 of %2").arg(qint64{step_} + 1).arg(model_->steps())
                                 : QString());
}

// Scrolls to all lines of the step; its first line takes precedence.
void ProgramPanel::showCurrent() {
  const QModelIndex first = model_->index(model_->currentRow());
  view_->setCurrentIndex(first);
  if (first.isValid()) {
    reveal(*view_, model_->index(model_->lastCurrentRow()));
    reveal(*view_, first);
  } else {
    view_->scrollToTop();
  }
}

}  // namespace shardlens
