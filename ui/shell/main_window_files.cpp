// The part of MainWindow that opens, follows and saves.
#include "ui/panels/panel.h"
#include "ui/shell/follow_dialog.h"
#include "ui/shell/main_window.h"
#include "ui/shell/settings.h"
#include "ui/shell/welcome_page.h"

#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMimeData>
#include <QStackedWidget>
#include <utility>

namespace shardlens {
namespace {

constexpr int kMostRecent = 6;

QString droppedFile(const QMimeData& data) {
  const auto urls = data.urls();
  return urls.size() == 1 ? urls.front().toLocalFile() : QString();
}

}  // namespace

bool MainWindow::openPath(const QString& path, std::optional<EventId> position) {
  opening_.reset();
  messages_->withdraw(kSilentOpening);
  auto opened = Document::open(path);
  if (!opened) {
    refuse(QString::fromStdString(opened.error().message));
    return false;
  }
  if ((*opened)->engine() != nullptr) {
    openScenario(std::move(*opened), position);
    return true;
  }
  present(std::move(*opened), position);
  addRecent(document_->path());
  return true;
}

void MainWindow::refuse(const QString& message) {
  problem_ = message;
  messages_->say(QStringLiteral("open"), {MessageBar::Kind::Problem, message});
  showProgress();
}

// What is open stays until the engine has something to run.
void MainWindow::openScenario(std::unique_ptr<Document> document, std::optional<EventId> position) {
  opening_ = std::move(document);
  openAt_ = position;
  connect(opening_.get(), &Document::stateChanged, this, &MainWindow::openingChanged);
  connect(opening_.get(), &Document::failed, this, [this](const QString& message) {
    opening_->disconnect(this);
    opening_.release()->deleteLater();  // it is the one who says so
    messages_->withdraw(kSilentOpening);
    refuse(message);
    Q_EMIT redrawn();
  });
  offerToStop(opening_.get(), kSilentOpening);
  showProgress();
}

void MainWindow::openingChanged() {
  const auto state = opening_->engine()->state();
  if (state == EngineClient::State::Starting || state == EngineClient::State::Gone) {
    return;
  }
  opening_->disconnect(this);
  present(std::move(opening_), openAt_);
  addRecent(document_->path());
}

void MainWindow::offerToStop(Document* document, const QString& subject) {
  connect(document, &Document::silent, this, [this, document, subject] {
    messages_->say(subject,
                   {MessageBar::Kind::Note,
                    tr("The engine of %1 has not answered for a while.").arg(document->fileName()),
                    tr("Stop the engine"), [document] { document->engine()->stop(); }});
  });
}

// What is opening is waited for before what is open.
EngineClient* MainWindow::runningEngine() const {
  for (const Document* document : {opening_.get(), document_.get()}) {
    if (document != nullptr && document->engine() != nullptr && document->mayGrow()) {
      return document->engine();
    }
  }
  return nullptr;
}

void MainWindow::present(std::unique_ptr<Document> document, std::optional<EventId> position,
                         std::unique_ptr<FollowClient> following) {
  closeDocument();
  following_ = std::move(following);
  messages_->clear();
  problem_.clear();
  document_ = std::move(document);
  connect(document_.get(), &Document::grew, this, &MainWindow::documentChanged);
  connect(document_.get(), &Document::stateChanged, this, &MainWindow::documentChanged);
  connect(document_.get(), &Document::failed, this, &MainWindow::documentFailed);
  offerToStop(document_.get(), kSilent);
  cursor_.setJournal(document_->journal(), document_->mayGrow()
                                               ? [this](EventId to) { document_->runTo(to); }
                                               : std::function<void(EventId)>());
  if (position) {
    cursor_.moveTo(*position);
  } else if (document_->engine() == nullptr) {
    cursor_.moveTo(document_->firstErrorOrEnd());
  }
  middle_->setCurrentWidget(area_);
  if (isVisible()) {
    placeDocks();
  }
  findChild<Panel*>(QStringLiteral("stepsPanel"))->setFocus();
  documentChanged();
  if (const QString folder = document_->folderOfAll(); !folder.isEmpty()) {
    messages_->say(
        QStringLiteral("parts"),
        {MessageBar::Kind::Note,
         tr("This is the recording of one process: the ranks of the others have no values here."),
         tr("Open all processes"), [this, folder] { openPath(folder); }});
  }
  if (const QStringList leftOut = document_->leftOut(); !leftOut.isEmpty()) {
    messages_->say(
        QStringLiteral("left out"),
        {MessageBar::Kind::Problem,
         tr("Opened without what is damaged: %1").arg(leftOut.join(QStringLiteral("; ")))});
  }
}

void MainWindow::askForFile() {
  const QString path = QFileDialog::getOpenFileName(
      this, tr("Open"), {}, tr("Scenarios and recordings (*.json *.shardlens);;All files (*)"));
  if (!path.isEmpty()) {
    openPath(path);
  }
}

void MainWindow::askForFolder() {
  const QString path =
      QFileDialog::getExistingDirectory(this, tr("Open the recordings of a run's processes"));
  if (!path.isEmpty()) {
    openPath(path);
  }
}

void MainWindow::askWhereToSave() {
  const QString name = QFileInfo(document_->path()).completeBaseName();
  const QString path = QFileDialog::getSaveFileName(this, tr("Save the recording"),
                                                    name + QStringLiteral(".shardlens"),
                                                    tr("Recordings (*.shardlens)"));
  if (!path.isEmpty()) {
    saveRecording(path);
  }
}

bool MainWindow::saveRecording(const QString& path) {
  const auto saved = document_->save(path);
  const QString subject = QStringLiteral("saved");
  if (!saved) {
    messages_->say(subject,
                   {MessageBar::Kind::Problem, QString::fromStdString(saved.error().message)});
    return false;
  }
  messages_->say(subject, {MessageBar::Kind::Note, tr("Saved as %1.").arg(path)});
  addRecent(path);
  return true;
}

// What is open stays until something has come of the run.
void MainWindow::askForRun() {
  auto* dialog = new FollowDialog(this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &FollowDialog::wanted, this,
          [this, dialog](const QString& where, const QString& token) {
            auto* client = new FollowClient(dialog);
            connect(client, &FollowClient::failed, dialog,
                    [client, dialog](const QString& message) {
                      dialog->say(message);
                      client->deleteLater();
                    });
            connect(client, &FollowClient::ended, dialog, [client, dialog] {
              dialog->say(tr("The run has ended, and there was no recording."));
              client->deleteLater();
            });
            connect(client, &FollowClient::arrived, dialog, [this, client, dialog] {
              client->disconnect(dialog);
              client->setParent(nullptr);
              openFollowed(std::unique_ptr<FollowClient>(client));
              dialog->accept();
            });
            client->start(where, token);
          });
  dialog->open();
}

void MainWindow::openFollowed(std::unique_ptr<FollowClient> client) {
  auto opened = Document::open(client->folder());
  if (!opened) {
    refuse(QString::fromStdString(opened.error().message));
    client.release()->deleteLater();  // it is the one who called
    return;
  }
  opening_.reset();
  present(std::move(*opened), std::nullopt, std::move(client));
  const QString connection = QStringLiteral("connection");
  connect(following_.get(), &FollowClient::lost, this, [this, connection] {
    messages_->say(connection,
                   {MessageBar::Kind::Note, tr("The connection is gone. Trying again…")});
  });
  connect(following_.get(), &FollowClient::found, this,
          [this, connection] { messages_->withdraw(connection); });
  connect(following_.get(), &FollowClient::ended, this, [this, connection] {
    messages_->say(connection, {MessageBar::Kind::Note, tr("The run has ended.")});
  });
  connect(following_.get(), &FollowClient::failed, this, &MainWindow::documentFailed);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (!droppedFile(*event->mimeData()).isEmpty()) {
    event->acceptProposedAction();
  }
}

void MainWindow::dropEvent(QDropEvent* event) {
  event->acceptProposedAction();
  openPath(droppedFile(*event->mimeData()));
}

void MainWindow::addRecent(const QString& path) {
  if (memory_ == Memory::Forgets) {
    return;
  }
  QSettings store = settings();
  QStringList paths = store.value(QStringLiteral("recent")).toStringList();
  if (!path.isEmpty()) {
    paths.removeAll(path);
    paths.prepend(path);
    paths = paths.mid(0, kMostRecent);
    store.setValue(QStringLiteral("recent"), paths);
  }
  recent_->clear();
  for (const QString& each : paths) {
    connect(recent_->addAction(QFileInfo(each).fileName()), &QAction::triggered, this,
            [this, each] { openPath(each); });
  }
  recent_->setEnabled(!paths.isEmpty());
  welcome_->setRecent(paths);
}

}  // namespace shardlens
