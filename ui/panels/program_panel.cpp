#include "ui/panels/program_panel.h"

#include "ui/models/format.h"
#include "ui/panels/paint.h"

#include <QListView>
#include <QPainterPath>
#include <QStyledItemDelegate>
#include <QToolButton>
#include <QVBoxLayout>

namespace shardlens {
namespace {

class LineDelegate final : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const QFontMetrics metrics(codeFont(12));
    const int width = metrics.horizontalAdvance(index.data().toString()) + kText + 12;
    return {std::min(width, option.rect.width() > 0 ? option.rect.width() : width), 25};
  }

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QRectF row(option.rect);
    const bool current = index.data(ProgramModel::CurrentRole).toBool();
    if (current) {
      painter->fillRect(row, theme().accentSoft);
      const double y = row.center().y();
      QPainterPath mark(QPointF(row.left() + 9, y - 5));
      mark.lineTo(row.left() + 17, y);
      mark.lineTo(row.left() + 9, y + 5);
      mark.closeSubpath();
      painter->fillPath(mark, theme().accent);
    }
    drawLine(*painter, QRectF(row.left() + 18, row.top(), 24, row.height()),
             QString::number(index.data(ProgramModel::NumberRole).toInt()), theme().muted,
             codeFont(11), Qt::AlignRight | Qt::AlignVCenter);
    drawLine(*painter, row.adjusted(kText, 0, -8, 0), index.data().toString(), theme().text,
             codeFont(12));
    painter->restore();
  }

 private:
  static constexpr int kText = 56;
};

}  // namespace

ProgramPanel::ProgramPanel(QWidget* parent)
    : Panel(QStringLiteral("programPanel"), tr("Program"), parent),
      model_(new ProgramModel(this)),
      view_(new QListView(this)),
      form_(new QToolButton) {
  view_->setObjectName(QStringLiteral("programView"));
  view_->setAccessibleName(tr("Lines of the program"));
  view_->setModel(model_);
  view_->setItemDelegate(new LineDelegate(view_));
  view_->setSelectionMode(QAbstractItemView::NoSelection);
  view_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  view_->setUniformItemSizes(true);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(1, 6, 1, 6);
  layout->addWidget(view_);

  form_->setObjectName(QStringLiteral("programSource"));
  form_->setText(tr("source"));
  form_->setToolTip(tr("Show the scenario as its file has it"));
  form_->setAccessibleName(tr("Show the scenario's source"));
  form_->setCheckable(true);
  form_->setFixedHeight(22);
  form_->setFocusPolicy(Qt::TabFocus);
  header()->addControl(form_);
  connect(form_, &QToolButton::toggled, this, [this](bool source) {
    model_->setForm(source ? ProgramModel::Form::Source : ProgramModel::Form::Readable);
    showCurrent();
  });
  connect(view_, &QListView::clicked, this, [this](const QModelIndex& index) {
    if (!form_->isChecked()) {
      Q_EMIT stepWanted(index.row());
    }
  });
}

void ProgramPanel::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  model_->setSnapshot(journal, snapshot);
  header()->setNote(
      snapshot.position == 0 || journal.size() == 0 ? QString() : tr("line %1").arg(snapshot.line));
  showCurrent();
}

void ProgramPanel::showCurrent() {
  const int row = model_->currentRow();
  if (row >= 0) {
    view_->scrollTo(model_->index(row));
  }
  view_->viewport()->update();
}

}  // namespace shardlens
