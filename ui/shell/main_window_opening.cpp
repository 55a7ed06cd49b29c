// Part of MainWindow: opening documents, here and in other windows.
#include "ui/bridge/named_paths.h"
#include "ui/pages/gallery.h"
#include "ui/pages/open_steps_dialog.h"
#include "ui/panels/steps_panel.h"
#include "ui/shell/link_bar.h"
#include "ui/shell/main_window.h"
#include "ui/shell/presentation.h"
#include "ui/shell/program_editing.h"
#include "ui/shell/side_by_side.h"
#include "ui/shell/window_link.h"

#include <QClipboard>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QGuiApplication>
#include <QMimeData>
#include <QPointer>
#include <QTimer>

namespace shardlens {

bool MainWindow::openPath(const QString& path, std::optional<EventId> position,
                          const Document::Steps& steps) {
  if (!editing_->mayLose()) {
    return false;
  }
  problem_.clear();
  return host_.open({path}, position, DocumentHost::Earlier::Forgotten, steps);
}

// Closes the dialog with the opening, which something else may cancel or replace.
void MainWindow::askForSteps(const RunSummary& summary) {
  auto* dialog = new OpenStepsDialog({.name = opening()->fileName(),
                                      .ranks = rankCount(summary.hosted()),
                                      .events = summary.events(),
                                      .steps = summary.steps(),
                                      .last = summary.lastStep()},
                                     this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &OpenStepsDialog::chosen, opening(), &Document::readSteps);
  connect(dialog, &QDialog::rejected, opening(), [this] { host_.cancelOpening(); });
  connect(opening(), &QObject::destroyed, dialog, &QObject::deleteLater);
  dialog->open();
}

// Opens other steps of the open recording.
void MainWindow::openSteps() {
  const Document& shown = *document();
  auto* dialog = new OpenStepsDialog(
      {.name = shown.fileName(), .last = shown.stepsOfRun(), .opened = shown.steps()}, this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &OpenStepsDialog::chosen, this,
          [this, paths = shown.recordings()](const std::vector<RankRange>& steps) {
            problem_.clear();
            host_.open(paths, std::nullopt, DocumentHost::Earlier::Forgotten, steps);
          });
  dialog->open();
}

// Continues with the first item after the last one.
void MainWindow::openExample(int by) {
  const int count = static_cast<int>(gallery().size());
  if (const int index = galleryIndex(document()->path()); index >= 0) {
    openPath(gallery()[static_cast<std::size_t>((index + by + count) % count)].path);
  }
}

void MainWindow::openChosen(const QString& path) {
  if (!path.isEmpty()) {
    openPath(path);
  }
}

void MainWindow::openPaths(const QStringList& paths) {
  MainWindow* window = this;
  if (!editing_->mayLose()) {
    return;
  }
  for (const QStringList& part : partedByRun(paths)) {
    if (window == nullptr) {
      window = newWindow();
      window->show();
    }
    window->problem_.clear();
    window->host_.open(part, std::nullopt);
    window = nullptr;
  }
}

// Returns a new window with the notation of this one, placed a little aside from it. It is deleted
// when it is closed.
MainWindow* MainWindow::newWindow() {
  constexpr QPoint kAside(32, 32);
  auto* window = new MainWindow(memory_);
  window->setAttribute(Qt::WA_DeleteOnClose);
  const bool isWhole = isMaximized() || isFullScreen();
  const QRect here = isWhole && normalGeometry().isValid() ? normalGeometry() : geometry();
  const QRect room = screen()->availableGeometry();
  QRect place(here.topLeft() + kAside,
              here.size().boundedTo(room.size() - 2 * QSize(kAside.x(), kAside.y())));
  place.moveRight(std::min(place.right(), room.right() - kAside.x()));
  place.moveBottom(std::min(place.bottom(), room.bottom() - kAside.y()));
  window->setGeometry(place);
  window->useNotation(notation());
  return window;
}

void MainWindow::openBeside(const QString& chosen, std::optional<EventId> position) {
  const QString path = counterpartAt(chosen);
  MainWindow* beside = nullptr;
  if (link_ != nullptr) {
    beside = this == &link_->first() ? &link_->second() : nullptr;
    link_->end();
  }
  if (beside == nullptr) {
    presentation_->setOn(false);
    beside = newWindow();
    connect(
        &beside->host_, &DocumentHost::presented, this,
        [this, beside] { beside->docks_->restore(docks_->save()); }, Qt::SingleShotConnection);
  }
  Document::Steps steps;  // those of this window, so that both can be compared
  if (document() != nullptr && !document()->steps().empty()) {
    steps = document()->steps();
  }
  new WindowLink(*this, *beside, position ? *beside : *this);
  // Shows the window and opens the path in the next turn of the event loop.
  QTimer::singleShot(0, beside, [=, first = QPointer(this)] {
    if (!beside->isVisible()) {
      if (first != nullptr) putSideBySide(*first, *beside);
      beside->show();
    }
    beside->openPath(path, position, steps);
  });
}

void MainWindow::setLink(WindowLink* link) {
  if (link_ != nullptr) {
    link_->disconnect(this);
  }
  link_ = link;
  if (link_ == nullptr) {
    linkBar_->hide();
    steps_->setDifferences(nullptr, 0);
  } else {
    connect(link_, &WindowLink::compared, this, &MainWindow::showAvailable);
  }
  showAvailable();
}

void MainWindow::setDifferences(std::shared_ptr<const std::vector<EventId>> events, EventId first) {
  steps_->setDifferences(std::move(events), first);
}

void MainWindow::paste() {
  const QString subject = QStringLiteral("paste");
  messages_->withdraw(subject);
  const QMimeData* data = QGuiApplication::clipboard()->mimeData();
  if (const QStringList paths = pathsOf(*data); !paths.isEmpty()) {
    return openPaths(paths);
  }
  const QByteArray text = data->text().trimmed().toUtf8();
  if (!text.startsWith('{')) {
    return messages_->showMessage(
        subject, {MessageBar::Kind::Problem, tr("Cannot paste: expected files, paths of existing "
                                                "files or a scenario on the clipboard.")});
  }
  if (!pasted_) {
    pasted_ = std::make_unique<RunFolder>();
  }
  QFile file(pasted_->filePath(QStringLiteral("pasted-%1.json").arg(++pastes_)));
  if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) {
    return messages_->showMessage(
        subject,
        {MessageBar::Kind::Problem, file.fileName() + QStringLiteral(": ") + file.errorString()});
  }
  file.close();
  openPath(file.fileName());
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (!pathsOf(*event->mimeData()).isEmpty()) {
    event->acceptProposedAction();
  }
}

void MainWindow::dropEvent(QDropEvent* event) {
  event->acceptProposedAction();
  openPaths(pathsOf(*event->mimeData()));
}

}  // namespace shardlens
