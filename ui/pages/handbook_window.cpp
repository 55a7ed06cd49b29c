#include "ui/pages/handbook_window.h"

#include "ui/pages/gallery.h"
#include "ui/pages/handbook_text.h"
#include "ui/pages/resource_folder.h"
#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"

#include <QDesktopServices>
#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QShortcut>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>

namespace shardlens {
namespace {

constexpr int kPageRole = Qt::UserRole;         // index of the page
constexpr int kSectionRole = Qt::UserRole + 1;  // index of the section; -1: start of the page

QPushButton* navigationButton(const char* name, const QString& text, const QString& what) {
  auto* made = new QPushButton(text);
  made->setObjectName(QLatin1String(name));
  made->setAccessibleName(what);
  made->setToolTip(what);
  made->setEnabled(false);
  return made;
}

}  // namespace

HandbookWindow::HandbookWindow(const QString& root, QWidget* parent)
    : QWidget(parent, Qt::Window),
      root_(root),
      back_(navigationButton("handbookBack", tr("Back"), tr("Previous page"))),
      forward_(navigationButton("handbookForward", tr("Forward"), tr("Next page"))),
      words_(new QLineEdit),
      found_(new QListWidget),
      empty_(new QLabel),
      text_(new HandbookText) {
  setObjectName(QStringLiteral("handbookWindow"));
  setWindowTitle(tr("Handbook — Shardlens"));
  setAccessibleName(tr("Handbook"));
  layOut();
  auto pages = readHandbook(root.toStdString());
  if (pages) {
    pages_ = std::move(*pages);
    openPage(QStringLiteral("index"));
  } else {
    text_->setPlainText(tr("The handbook cannot be opened: %1.")
                            .arg(QString::fromStdString(pages.error().message)));
  }
  list();
  words_->installEventFilter(this);
  connect(words_, &QLineEdit::textChanged, this, &HandbookWindow::list);
  connect(words_, &QLineEdit::returnPressed, this, [this] { choose(found_->item(0)); });
  connect(found_, &QListWidget::itemClicked, this, &HandbookWindow::choose);
  connect(found_, &QListWidget::itemActivated, this, &HandbookWindow::choose);
  connect(text_, &HandbookText::linkFollowed, this, &HandbookWindow::follow);
  connect(text_, &QTextBrowser::backwardAvailable, back_, &QWidget::setEnabled);
  connect(text_, &QTextBrowser::forwardAvailable, forward_, &QWidget::setEnabled);
  connect(back_, &QPushButton::clicked, text_, &QTextBrowser::backward);
  connect(forward_, &QPushButton::clicked, text_, &QTextBrowser::forward);
  const auto onKey = [this](const QKeySequence& key, auto receiver, auto slot) {
    connect(new QShortcut(key, this), &QShortcut::activated, receiver, slot);
  };
  onKey(QKeySequence::Find, words_, qOverload<>(&QWidget::setFocus));
  onKey(Qt::ALT | Qt::Key_Left, text_, &QTextBrowser::backward);
  onKey(Qt::ALT | Qt::Key_Right, text_, &QTextBrowser::forward);
  onKey(Qt::Key_F1, this, &QWidget::hide);
  onKey(Qt::Key_Escape, this, &QWidget::hide);
}

QSize HandbookWindow::sizeHint() const { return {zoomed(1120), zoomed(760)}; }

void HandbookWindow::layOut() {
  words_->setObjectName(QStringLiteral("handbookWords"));
  words_->setAccessibleName(tr("Words to find in the handbook"));
  words_->setPlaceholderText(tr("Find in all pages"));
  words_->setClearButtonEnabled(true);
  found_->setObjectName(QStringLiteral("handbookFound"));
  found_->setAccessibleName(tr("Pages and sections found"));
  found_->setFrameShape(QFrame::NoFrame);
  found_->setWordWrap(true);
  found_->setSpacing(3);
  empty_->setObjectName(QStringLiteral("handbookEmpty"));
  empty_->setWordWrap(true);
  empty_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  empty_->setMargin(10);
  empty_->setForegroundRole(kMutedRole);
  auto* side = new QWidget;
  auto* column = new QVBoxLayout(side);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(found_, 1);
  column->addWidget(empty_, 1);
  auto* parts = new QSplitter;
  parts->addWidget(side);
  parts->addWidget(text_);
  parts->setStretchFactor(1, 1);
  atEachZoom(parts, [parts] { parts->setSizes({zoomed(260), zoomed(860)}); });
  auto* top = new QHBoxLayout;
  top->setSpacing(8);
  top->addWidget(back_);
  top->addWidget(forward_);
  top->addWidget(words_, 1);
  auto* rows = new QVBoxLayout(this);
  rows->setContentsMargins(12, 12, 12, 12);
  rows->setSpacing(10);
  rows->addLayout(top);
  rows->addWidget(parts, 1);
}

// Lists the pages, or the sections that contain the words.
void HandbookWindow::list() {
  found_->clear();
  const auto add = [this](const QString& text, const HandbookPage& page, int section) {
    auto* item = new QListWidgetItem(text, found_);
    item->setData(kPageRole, static_cast<int>(&page - pages_.data()));
    item->setData(kSectionRole, section);
  };
  const QString words = words_->text().trimmed();
  if (words.isEmpty()) {
    for (const auto& page : pages_) {
      add(QString::fromStdString(page.title), page, -1);
    }
  } else {
    for (const auto& match : searchHandbook(pages_, words.toStdString())) {
      const QString page = QString::fromStdString(match.page->title);
      const QString section = QString::fromStdString(match.section->title);
      add(page == section ? page : tr("%1 › %2").arg(page, section), *match.page,
          static_cast<int>(match.section - match.page->sections.data()));
      found_->item(found_->count() - 1)->setToolTip(QString::fromStdString(match.line));
    }
  }
  const bool isEmpty = found_->count() == 0;
  empty_->setText(words.isEmpty() ? tr("The handbook has no pages.")
                                  : tr("No section contains \"%1\".").arg(words));
  found_->setVisible(!isEmpty);
  empty_->setVisible(isEmpty);
}

void HandbookWindow::choose(const QListWidgetItem* item) {
  if (item == nullptr) {
    return;
  }
  const HandbookPage& page = pages_[static_cast<std::size_t>(item->data(kPageRole).toInt())];
  const int section = item->data(kSectionRole).toInt();
  showPage(page, section < 0 ? nullptr : &page.sections[static_cast<std::size_t>(section)]);
}

void HandbookWindow::openPage(const QString& name, const QString& title) {
  const auto page = std::find_if(pages_.begin(), pages_.end(), [&](const HandbookPage& each) {
    return each.name == name.toStdString();
  });
  if (page == pages_.end()) {
    return;
  }
  const auto section =
      std::find_if(page->sections.begin(), page->sections.end(),
                   [&](const PageSection& each) { return each.title == title.toStdString(); });
  showPage(*page, section == page->sections.end() ? nullptr : &*section);
}

void HandbookWindow::showPage(const HandbookPage& page, const PageSection* section) {
  const QDir folder(root_ + u'/' + QString::fromLatin1(kHandbookFolder.data()));
  QUrl url = QUrl::fromLocalFile(folder.filePath(QString::fromStdString(page.name) + ".md"));
  if (section != nullptr) {
    url.setFragment(QString::fromStdString(section->anchor));
  }
  text_->showFile(url);
}

void HandbookWindow::follow(const QUrl& link) {
  if (link.scheme() == QStringLiteral("command")) {
    Q_EMIT commandRequested(link.path());
  } else if (link.scheme() == QStringLiteral("gallery")) {
    for (const GalleryEntry& entry : gallery()) {
      if (QFileInfo(entry.path).completeBaseName() == link.path()) {
        Q_EMIT scenarioRequested(entry.path);
      }
    }
  } else {
    QDesktopServices::openUrl(link);
  }
}

// Down in the find field moves to the list.
bool HandbookWindow::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Down &&
      found_->count() > 0) {
    found_->setFocus();
    found_->setCurrentRow(0);
    return true;
  }
  return QWidget::eventFilter(watched, event);
}

QString handbookRoot() {
  return resourceFolder(QStringLiteral("handbook"), {},
                        QString::fromLatin1(kHandbookFolder.data()));
}

}  // namespace shardlens
