#include "ui/panels/element_figures_box.h"

#include "core/model/spec.h"
#include "core/view/words/detail_words.h"
#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"
#include "ui/text/format.h"

#include <QLabel>
#include <QPushButton>

namespace shardlens {

ElementFiguresBox::ElementFiguresBox(QWidget* parent)
    : QWidget(parent),
      parts_(new QBoxLayout(QBoxLayout::TopToBottom, this)),
      figures_(new QLabel),
      largest_(new QPushButton),
      check_(new QPushButton) {
  figures_->setObjectName(QStringLiteral("elementFigures"));
  figures_->setForegroundRole(kMutedRole);
  atEachZoom(figures_, [label = figures_] { label->setFont(zoomed(textFont(11))); });
  figures_->setWordWrap(true);
  figures_->setTextInteractionFlags(Qt::NoTextInteraction);
  figures_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  largest_->setObjectName(QStringLiteral("largestElement"));
  check_->setObjectName(QStringLiteral("plainDifference"));
  largest_->setAccessibleName(tr("Largest element"));
  check_->setAccessibleName(tr("Difference from the plain result"));
  auto* leads = new QHBoxLayout;
  leads->setSpacing(6);
  leads->addStretch(1);
  for (QPushButton* button : {largest_, check_}) {
    atEachZoom(button, [button] { button->setFont(zoomed(textFont(11))); });
    button->hide();
    leads->addWidget(button);
  }
  parts_->setContentsMargins(0, 0, 0, 0);
  parts_->setSpacing(4);
  parts_->addWidget(figures_, 1);
  parts_->addLayout(leads);
  connect(largest_, &QPushButton::clicked, this, [this] { Q_EMIT elementRequested(largestAt_); });
  connect(check_, &QPushButton::clicked, this, [this] { Q_EMIT differenceRequested(checkAt_); });
}

void ElementFiguresBox::setDirection(QBoxLayout::Direction direction) {
  parts_->setDirection(direction);
}

void ElementFiguresBox::setFigures(const QString& text, const InspectedElements& elements,
                                   const ElementScan& scan) {
  figures_->setText(text);
  figures_->setVisible(!text.isEmpty());
  const ElementFigures& figures = scan.figures();
  const bool hasLargest = scan.isDone() && figures.largestAt >= 0;
  largest_->setVisible(hasLargest);
  if (!hasLargest) {
    return;
  }
  largestAt_ = coordinates(elements.shown.shape(), figures.largestAt);
  const QString at = toQString(toText(elements.shown.global(largestAt_).value_or(largestAt_)));
  const bool isOdd = figures.nans + figures.infinities > 0;
  const QString words = isOdd               ? tr("First non-finite: %1").arg(at)
                        : !elements.against ? tr("Largest: %1").arg(at)
                        : figures.largest == 0
                            ? tr("No difference")
                            : tr("Differs by %1 at %2").arg(figures.largest, 0, 'g', 6).arg(at);
  largest_->setText(words);
  largest_->setAccessibleName(words);
  largest_->setToolTip(tr("Go to the element"));
}

void ElementFiguresBox::setCheck(const std::optional<CheckRecord>& check) {
  check_->setVisible(check.has_value());
  if (!check) {
    return;
  }
  const bool differs = !check->largest.empty() || !check->why.empty();
  checkAt_ = check->at;
  check_->setEnabled(!check->largest.empty());
  check_->setText(!differs ? tr("Matches plain torch")
                  : check->largest.empty()
                      ? tr("Differs from plain torch")
                      : tr("Differs from plain torch at %1").arg(toQString(toText(check->at))));
  check_->setToolTip(differs ? tr("Differs from the same program on plain tensors%1")
                                   .arg(toQString(view::differenceText(*check)))
                             : tr("No element differs from the same program on plain tensors"));
}

}  // namespace shardlens
