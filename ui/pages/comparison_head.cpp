#include "ui/pages/comparison_head.h"

#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>

namespace shardlens {
namespace {

constexpr double kButtonsBeside = 900;  // minimum width to place the buttons beside the text

}  // namespace

ComparisonHead::ComparisonHead(QWidget* parent)
    : QWidget(parent),
      parts_(new QBoxLayout(QBoxLayout::LeftToRight)),
      buttons_(new QHBoxLayout),
      title_(new QLabel),
      summary_(new QLabel),
      tolerance_(new QLineEdit),
      busy_(new QProgressBar) {
  auto* words = new QVBoxLayout;
  words->setSpacing(2);
  for (QLabel* label : {title_, summary_}) {
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    words->addWidget(label);
  }
  title_->setObjectName(QStringLiteral("comparisonTitle"));
  summary_->setObjectName(QStringLiteral("comparisonSummary"));
  summary_->setForegroundRole(kMutedRole);
  auto* label = new QLabel(tr("Tolerance"));
  label->setBuddy(tolerance_);
  atEachZoom(this, [this, label] {
    title_->setFont(zoomed(textFont(13, Weight::Bold)));
    summary_->setFont(zoomed(textFont(12)));
    label->setFont(zoomed(textFont(12)));
  });
  tolerance_->setObjectName(QStringLiteral("comparisonTolerance"));
  tolerance_->setAccessibleName(tr("Tolerance for values"));
  tolerance_->setToolTip(tr(
      "Two elements are equal if they are no further apart than the tolerance plus the tolerance "
      "times the element of B. Empty: the tolerances of torch.testing.assert_close by dtype. "
      "Return compares again."));
  tolerance_->setPlaceholderText(tr("by dtype"));
  atEachZoom(tolerance_, [line = tolerance_] { line->setFixedWidth(zoomed(84)); });
  connect(tolerance_, &QLineEdit::returnPressed, this, &ComparisonHead::toleranceChosen);
  buttons_->addWidget(label);
  buttons_->addWidget(tolerance_);
  const auto add = [this](const char* name, const QString& text, const QString& accessible,
                          void (ComparisonHead::*requested)()) {
    auto* button = addButton(name, text, accessible);
    connect(button, &QPushButton::clicked, this, requested);
    return button;
  };
  add("previousOfComparison", tr("Previous"), tr("Previous difference"),
      &ComparisonHead::previousRequested);
  add("nextOfComparison", tr("Next"), tr("Next difference"), &ComparisonHead::nextRequested);
  open_ = add("openOther", tr("Open B beside"),
              tr("Open B in a window beside this one, and link the two"),
              &ComparisonHead::windowRequested);
  add("closeComparison", tr("Close"), tr("Close the comparison"), &ComparisonHead::closeRequested);
  parts_->addLayout(words, 1);
  parts_->addLayout(buttons_);
  busy_->setRange(0, 0);
  busy_->setTextVisible(false);
  busy_->setFixedHeight(4);
  busy_->setAccessibleName(tr("Comparing"));
  busy_->hide();
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addLayout(parts_);
  column->addWidget(busy_);
}

QPushButton* ComparisonHead::addButton(const char* name, const QString& text,
                                       const QString& accessible) {
  auto* button = new QPushButton(text);
  button->setObjectName(QLatin1String(name));
  button->setAccessibleName(accessible);
  button->setToolTip(accessible);
  buttons_->addWidget(button);
  return button;
}

void ComparisonHead::setTitle(const QString& text) { title_->setText(text); }

void ComparisonHead::setSummary(const QString& text, bool isBusy) {
  summary_->setText(text);
  busy_->setVisible(isBusy);
}

void ComparisonHead::setCompared(bool isCompared) { open_->setEnabled(isCompared); }

QString ComparisonHead::summary() const { return summary_->text(); }

std::optional<Tolerance> ComparisonHead::tolerance() const {
  bool isNumber = false;
  const double within = tolerance_->text().trimmed().toDouble(&isNumber);
  return isNumber && within >= 0 ? std::optional(Tolerance{within, within}) : std::nullopt;
}

void ComparisonHead::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  const bool isWide = width() >= zoomed(kButtonsBeside);
  parts_->setDirection(isWide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

}  // namespace shardlens
