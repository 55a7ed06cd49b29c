#include "ui/widgets/rank_line.h"

#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"
#include "ui/widgets/mesh_canvas.h"

#include <QFocusEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QShortcut>

namespace shardlens {

RankLine::RankLine(MeshCanvas& mesh) : mesh_(mesh), number_(new QLineEdit), mistake_(new QLabel) {
  number_->setObjectName(QStringLiteral("rankNumber"));
  number_->setAccessibleName(tr("Rank to go to"));
  number_->setPlaceholderText(tr("Rank"));
  mistake_->setObjectName(QStringLiteral("rankMistake"));
  mistake_->setForegroundRole(kBadRole);
  atEachZoom(this, [this] {
    number_->setFont(zoomed(textFont(11)));
    number_->setFixedHeight(zoomed(24));
    number_->setFixedWidth(zoomed(84));
    mistake_->setFont(zoomed(textFont(11)));
  });
  auto* line = new QHBoxLayout(this);
  line->setContentsMargins(6, 4, 6, 0);
  line->setSpacing(8);
  line->addWidget(number_);
  line->addWidget(mistake_, 1);
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  setFocusProxy(number_);
  hide();
  number_->installEventFilter(this);
  connect(number_, &QLineEdit::textChanged, this, &RankLine::go);
  connect(number_, &QLineEdit::returnPressed, this, &RankLine::close);
  new QShortcut(Qt::Key_Escape, number_, this, &RankLine::close, Qt::WidgetShortcut);
}

void RankLine::open(const QString& digits) {
  show();
  number_->setFocus(Qt::ShortcutFocusReason);
  number_->setText(digits);
}

void RankLine::close() {
  mesh_.setFocus(Qt::ShortcutFocusReason);
  hide();
}

// Goes to the typed rank if it exists; otherwise shows the valid range.
void RankLine::go() {
  const QString text = number_->text().trimmed();
  bool isNumber = false;
  const int rank = text.toInt(&isNumber);
  const int ranks = mesh_.ranks();
  const bool isThere = isNumber && rank >= 0 && rank < ranks;
  mistake_->setText(text.isEmpty() || isThere ? QString()
                    : ranks == 0              ? tr("No ranks yet.")
                                              : tr("Expected a rank from 0 to %1.").arg(ranks - 1));
  if (isThere) {
    mesh_.goTo(rank);
  }
}

// Hides the line when it loses the focus, except to a menu or another window, because the focus
// returns from there.
bool RankLine::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::FocusOut) {
    const Qt::FocusReason reason = static_cast<QFocusEvent*>(event)->reason();
    if (reason != Qt::PopupFocusReason && reason != Qt::ActiveWindowFocusReason) {
      hide();
    }
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace shardlens
