#include "ui/shell/exports.h"

#include "core/exports/step_markdown.h"
#include "ui/bridge/recording_task.h"
#include "ui/pages/gallery.h"
#include "ui/panels/panel_catalogue.h"
#include "ui/shell/main_window.h"
#include "ui/shell/picture.h"
#include "ui/text/format.h"
#include "ui/widgets/window_notation.h"

#include <QClipboard>
#include <QDir>
#include <QFileInfo>
#include <QGuiApplication>
#include <QPointer>
#include <QTimer>

namespace shardlens {
namespace {

constexpr int kExportDelay = 500;  // ms; shorter exports show no progress message

// Returns a path beside the document, or in the home folder if the document is temporary or of the
// gallery or its folder is not writable. It has no extension.
QString proposedPath(const Document& document) {
  const QFileInfo file(document.path());
  const bool isBeside = !RunFolder::contains(document.path()) &&
                        galleryIndex(document.path()) < 0 && QFileInfo(file.path()).isWritable();
  const QDir folder = isBeside ? file.absoluteDir() : QDir::home();
  return folder.filePath(file.completeBaseName());
}

QString writtenText(const QString& path) {
  return Exports::tr("Exported to %1, %2.").arg(path, bytesText(QFileInfo(path).size()));
}

}  // namespace

Exports::Exports(MainWindow& window) : QObject(&window), window_(window) {}

void Exports::openDialog(const QString& panel) {
  ExportSubject subject{proposedPath(*window_.document()), window_.cursor().snapshot().step, {}};
  for (const PanelEntry& entry : panelCatalogue()) {
    subject.panels.emplace_back(shortNameOf(entry), entry.title);
  }
  auto* dialog = new ExportDialog(subject, &window_);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  if (!panel.isEmpty()) {
    dialog->choosePanel(panel);
  }
  connect(dialog, &ExportDialog::chosen, this, &Exports::start);
  dialog->open();
}

void Exports::start(const ExportChoice& choice) {
  if (choice.format->write == nullptr) {
    return drawPicture(choice);
  }
  ExportPart part = choice.part;
  part.notation = notationOf(window_);
  const auto leftOut = std::make_shared<QStringList>();
  run(
      choice.path,
      [choice, part, leftOut](const Journal& journal, const Progress& progress) {
        return exportTo(choice.path.toStdString(), *choice.format, journal, part, progress)
            .map([&](const std::vector<std::string>& names) {
              for (const auto& name : names) *leftOut << QString::fromStdString(name);
            });
      },
      [choice, leftOut] {
        const QString written = writtenText(choice.path);
        return leftOut->isEmpty() ? written
                                  : tr("%1 Omitted, because only statistics were captured: %2.")
                                        .arg(written, leftOut->join(QStringLiteral(", ")));
      });
}

void Exports::drawPicture(const ExportChoice& choice) {
  const auto drawn = shardlens::drawPicture(window_, choice.path, choice.panel);
  showOutcome(choice.path, drawn.map([&] { return writtenText(choice.path); }));
}

void Exports::copyStep(int step) {
  const auto text = std::make_shared<std::string>();
  run(
      tr("step %1").arg(step + 1),
      [step, text, notation = notationOf(window_)](const Journal& journal, const Progress&) {
        return stepMarkdown(journal, step, notation).map([&](const std::string& all) {
          *text = all;
        });
      },
      [step, text] {
        QGuiApplication::clipboard()->setText(QString::fromStdString(*text));
        return tr("Step %1 copied as Markdown.").arg(step + 1);
      });
}

void Exports::run(const QString& subject, const Work& work, const std::function<QString()>& done) {
  auto* task = withRecording(window_.document()->source(), work).release();
  task->setParent(this);
  connect(task, &BackgroundTask::finished, this, [this, task, subject, done] {
    task->deleteLater();
    showOutcome(subject, done());
  });
  connect(task, &BackgroundTask::failed, this, [this, task, subject](const QString& message) {
    task->deleteLater();
    showOutcome(subject, fail(message.toStdString()));
  });
  // Stopped with the task, because a timeout that is already due would replace the final message.
  auto* soon = new QTimer(task);
  soon->setObjectName(QStringLiteral("exportSoon"));
  soon->setSingleShot(true);
  connect(task, &BackgroundTask::finished, soon, &QTimer::stop);
  connect(task, &BackgroundTask::failed, soon, &QTimer::stop);
  connect(soon, &QTimer::timeout, this, [this, subject, task = QPointer(task)] {
    window_.messages().showMessage(
        subject, {MessageBar::Kind::Note, tr("Exporting %1…").arg(subject), tr("Cancel"),
                  [task] { delete task.data(); }});
  });
  soon->start(kExportDelay);
}

void Exports::showOutcome(const QString& subject, const Result<QString>& outcome) {
  using Kind = MessageBar::Kind;
  if (outcome) {
    window_.messages().showMessage(subject, {Kind::Note, *outcome});
  } else {
    window_.messages().showMessage(
        subject, {Kind::Problem, QString::fromStdString(outcome.error().message)});
  }
}

}  // namespace shardlens
