#include "ui/pages/welcome_page.h"

#include "ui/pages/gallery.h"
#include "ui/pages/link_row.h"
#include "ui/widgets/paint.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>

namespace shardlens {
namespace {

QLabel* heading(const QString& text, int pixels, Weight weight,
                QPalette::ColorRole role = QPalette::WindowText) {
  auto* label = new QLabel(text);
  atEachZoom(label, [=] { label->setFont(zoomed(textFont(pixels, weight))); });
  label->setForegroundRole(role);
  label->setWordWrap(true);
  return label;
}

}  // namespace

WelcomePage::WelcomePage(QWidget* parent)
    : QWidget(parent), lists_(new QBoxLayout(QBoxLayout::LeftToRight)), recent_(new QVBoxLayout) {
  setObjectName(QStringLiteral("welcomePage"));
  auto* inner = new QWidget;
  atEachZoom(inner, [inner] { inner->setMaximumWidth(zoomed(980)); });
  auto* column = new QVBoxLayout(inner);
  column->setContentsMargins(36, 44, 36, 36);
  column->setSpacing(8);
  column->addWidget(heading(tr("Shardlens"), 26, Weight::Bold));
  column->addWidget(heading(tr("Step through a sharded program: shards, masks, caches, and the "
                               "reason for each redistribution."),
                            13, Weight::Normal, kMutedRole));
  auto* buttons = new QHBoxLayout;
  buttons->setContentsMargins(0, 16, 0, 20);
  buttons->setSpacing(12);
  auto* open = new QPushButton(tr("Open a scenario or a recording…"));
  open->setObjectName(QStringLiteral("welcomeOpen"));
  open->setAccessibleName(tr("Open a scenario or a recording"));
  open->setProperty("primary", true);
  buttons->addWidget(open);
  buttons->addWidget(heading(tr("or drop or paste files here; traces of other tools open too"), 12,
                             Weight::Normal, kMutedRole),
                     1);
  column->addLayout(buttons);
  connect(open, &QPushButton::clicked, this, &WelcomePage::openRequested);

  lists_->setSpacing(36);
  auto* examples = new QVBoxLayout;
  examples->setSpacing(8);
  examples->addWidget(heading(tr("Gallery"), 13, Weight::Bold));
  const auto& entries = gallery();
  for (const GalleryEntry& entry : entries) {
    auto* row = new LinkRow(entry.title, entry.about);
    row->setPicture(pictureOf(entry, ColourScheme::Light), pictureOf(entry, ColourScheme::Dark));
    row->setDetail(entry.teaches);
    row->setObjectName(QStringLiteral("gallery ") + QFileInfo(entry.path).completeBaseName());
    connect(row, &LinkRow::clicked, this,
            [this, path = entry.path] { Q_EMIT pathRequested(path); });
    examples->addWidget(row);
  }
  if (entries.empty()) {
    examples->addWidget(heading(tr("No scenarios found."), 12, Weight::Normal, kMutedRole));
  }
  examples->addStretch(1);
  auto* side = new QVBoxLayout;
  side->setSpacing(8);
  side->addWidget(heading(tr("Record your own program"), 13, Weight::Bold));
  auto* record = heading(tr("Under DTensor, record a job without changes to it:\n\n"
                            "torchrun --nproc-per-node 4 \\\n"
                            "    -m shardlens record -o recorded train.py\n\n"
                            "The handbook (F1) explains more in “Recording jobs”."),
                         12, Weight::Normal);
  record->setObjectName(QStringLiteral("welcomeRecord"));
  record->setTextInteractionFlags(Qt::TextSelectableByMouse);
  recent_->setSpacing(8);
  lists_->addLayout(examples, 3);
  side->addWidget(record);
  side->addSpacing(16);
  side->addLayout(recent_);
  side->addStretch(1);
  lists_->addLayout(side, 2);
  column->addLayout(lists_, 1);

  auto* scroll = new QScrollArea;
  scroll->setWidget(inner);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(2, 2, 2, 2);
  layout->addWidget(scroll);
  setRecent({});
}

void WelcomePage::setRecent(const QStringList& paths) {
  while (QLayoutItem* item = recent_->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  recent_->addWidget(heading(tr("Recent"), 13, Weight::Bold));
  for (const QString& path : paths) {
    const QFileInfo info(path);
    auto* row = new LinkRow(info.fileName(), info.absolutePath());
    connect(row, &LinkRow::clicked, this, [this, path] { Q_EMIT pathRequested(path); });
    recent_->addWidget(row);
  }
  if (paths.isEmpty()) {
    recent_->addWidget(heading(tr("No recent files."), 12, Weight::Normal, kMutedRole));
  }
  recent_->addStretch(1);
}

// Places the lists below one another in a narrow window.
void WelcomePage::resizeEvent(QResizeEvent* event) {
  constexpr double kBeside = 800;
  QWidget::resizeEvent(event);
  lists_->setDirection(width() < zoomed(kBeside) ? QBoxLayout::TopToBottom
                                                 : QBoxLayout::LeftToRight);
}

void WelcomePage::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  drawBox(painter, rect(), 5, theme().card, theme().border);
}

}  // namespace shardlens
