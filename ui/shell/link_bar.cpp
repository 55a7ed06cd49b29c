#include "ui/shell/link_bar.h"

#include "ui/panels/panel.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/paint.h"

#include <QHBoxLayout>
#include <QProgressBar>
#include <QPushButton>

namespace shardlens {

LinkBar::LinkBar(QWidget* parent)
    : QWidget(parent),
      link_(new ElidedLabel(ElidedLabel::Role::Detail)),
      place_(new ElidedLabel(ElidedLabel::Role::Sentence)),
      progress_(new QProgressBar),
      difference_(new QPushButton(tr("first difference"))) {
  setObjectName(QStringLiteral("linkBar"));
  setAccessibleName(tr("Linked window"));
  link_->setObjectName(QStringLiteral("linkedWith"));
  place_->setObjectName(QStringLiteral("linkedPlace"));
  progress_->setObjectName(QStringLiteral("linkProgress"));
  progress_->setAccessibleName(tr("Progress of the comparison"));
  progress_->setTextVisible(false);
  difference_->setObjectName(QStringLiteral("linkDifference"));
  difference_->setAccessibleName(tr("Go to the first difference, in both windows"));
  auto* unlink = new QPushButton(tr("unlink"));
  unlink->setObjectName(QStringLiteral("linkEnd"));
  unlink->setAccessibleName(tr("Unlink the two windows"));
  for (QPushButton* button : {difference_, unlink}) {
    button->setFocusPolicy(Qt::TabFocus);
    button->setToolTip(button->accessibleName());
  }
  connect(difference_, &QPushButton::clicked, this, &LinkBar::differenceRequested);
  connect(unlink, &QPushButton::clicked, this, &LinkBar::unlinkRequested);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(40, 4, 10, 4);
  row->setSpacing(12);
  row->addWidget(link_);
  row->addWidget(place_, 1);
  row->addWidget(progress_);
  row->addWidget(difference_);
  row->addWidget(unlink);
  atEachZoom(this, [this] { progress_->setFixedSize(zoomed(90), zoomed(4)); });
  hide();
}

void LinkBar::showTexts(const Words& words) {
  isNotable_ = words.tone == view::Tone::Warn;
  link_->setText(words.link);
  place_->setText(words.place);
  progress_->setVisible(words.percent < 100);
  progress_->setValue(words.percent);
  difference_->setEnabled(words.hasDifferences);
  setAccessibleDescription(text());
  show();
  update();
}

QString LinkBar::text() const { return link_->text() + QStringLiteral(" · ") + place_->text(); }

void LinkBar::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const QColor colour = isNotable_ ? theme().warn : theme().accent;
  drawBox(painter, rect(), 5, isNotable_ ? theme().warnSoft : theme().accentSoft, colour);
  painter.drawPixmap(QPointF(14, height() / 2.0 - 8),
                     tintedIcon(isNotable_ ? QStringLiteral("differs") : QStringLiteral("linked"),
                                colour, 16, devicePixelRatioF()));
}

}  // namespace shardlens
