#include "ui/shell/program_editing.h"

#include "ui/bridge/cache_check.h"
#include "ui/pages/comparison_page.h"
#include "ui/pages/file_dialogs.h"
#include "ui/pages/program_sheet.h"
#include "ui/pages/what_if_sheet.h"
#include "ui/panels/caches_panel.h"
#include "ui/shell/commands.h"
#include "ui/shell/main_window.h"
#include "ui/text/format.h"

#include <QDir>
#include <QFileInfo>
#include <QMessageBox>
#include <QSaveFile>
#include <limits>
#include <utility>

namespace shardlens {
namespace {

const QString kEditSubject = QStringLiteral("program");
constexpr EventId kEnd = std::numeric_limits<EventId>::max();

}  // namespace

ProgramEditing::ProgramEditing(MainWindow& window, DocumentHost& host)
    : QObject(&window), window_(window), host_(host) {}

void ProgramEditing::connectParts(Commands& commands) {
  QList<QAction*> buttons;
  for (const char* id : {"undo", "redo", "saveProgram", "saveProgramAs", "runChanged"}) {
    buttons << &commands.action(id);
  }
  sheet_ = new ProgramSheet(changes_, buttons, &window_);
  whatIf_ = new WhatIfSheet(&window_);
  connect(whatIf_, &WhatIfSheet::tryRequested, this, &ProgramEditing::place);
  check_ = new CacheCheck(this);
  auto* caches = window_.findChild<CachesPanel*>();
  connect(caches, &CachesPanel::checkRequested, this, &ProgramEditing::checkHit);
  connect(check_, &CacheCheck::checked, caches, &CachesPanel::setChecked);
  connect(&changes_, &ProgramChanges::changed, &window_, &MainWindow::programChanged);
  connect(sheet_, &ProgramSheet::mistakesChanged, &window_, &MainWindow::programChanged);
  connect(&host_, &DocumentHost::presented, this, &ProgramEditing::presented);
  connect(&host_, &DocumentHost::changed, this, &ProgramEditing::actWhenOver);
  connect(&host_, &DocumentHost::refused, this, [this] { isStarting_ = false; });
  connect(&host_, &DocumentHost::openingCancelled, this, [this] { isStarting_ = false; });
  connect(&host_, &DocumentHost::closed, this, &ProgramEditing::closed);
}

// Keeps the changes if the document is closed for a run of the changed program.
void ProgramEditing::closed() {
  act_ = nullptr;
  if (!isStarting_) {
    sheet_->hide();
    whatIf_->hide();
    changes_.setProgram({});
  }
}

// Keeps the changes if the document is a run of the changed program.
void ProgramEditing::presented() {
  const Document& document = *host_.document();
  ran_ = document.journal().meta("scenario");
  isStarting_ = false;
  if (!isChangedRun()) {
    const QString ending = QStringLiteral(".json");
    const bool isFile = document.engine() != nullptr && document.path().endsWith(ending);
    file_ = isFile && !RunFolder::contains(document.path()) ? document.path() : QString();
    name_ = QFileInfo(document.path()).completeBaseName() + ending;
    changes_.setProgram(ran_);
  }
  sheet_->setRan(ran_, name_);
  if (isChangedRun()) {
    if (step_ >= 0) {
      window_.cursor().toEndOfStep(step_);
    }
    const Document* earlier = host_.earlier();
    const bool isSame = earlier != nullptr && earlier->journal().meta("scenario") == ran_;
    MessageBar::Message message{
        MessageBar::Kind::Note,
        isSame ? tr("Same program, run again.") : tr("This is the run of the changed program.")};
    if (earlier != nullptr) {
      message.action = tr("Open previous run beside this one");
      message.run = [this] { openEarlier(); };
    }
    window_.messages().showMessage(kEditSubject, std::move(message));
  }
  window_.programChanged();
}

bool ProgramEditing::isChangedRun() const {
  return host_.document() != nullptr && runs_ &&
         host_.document()->path().startsWith(runs_->path() + u'/');
}

bool ProgramEditing::canRun() const {
  return changes_.hasProgram() && changes_.text() != ran_ && !sheet_->hasMistake();
}

void ProgramEditing::change(int step) {
  if (changes_.hasProgram()) {
    sheet_->open(step);
  }
}

void ProgramEditing::whatIf(const QString& tensor) {
  if (changes_.hasProgram()) {
    whatIf_->estimate(changes_.text(), name_, tensor);
  }
}

void ProgramEditing::showNotation() {
  sheet_->showNotation();
  whatIf_->showNotation();
}

// Checks the program as it ran, without later changes.
void ProgramEditing::checkHit(EventId hit) {
  if (hit == 0) {
    check_->cancel();
  } else {
    check_->start(ran_, name_, hit);
  }
}

void ProgramEditing::whatIfStep(int step) { whatIf(toQString(changes_.resultOf(step))); }

void ProgramEditing::place(const QString& tensor, const Placements& placements) {
  if (!changes_.hasProgram()) {
    return;
  }
  if (const auto step = changes_.place(tensor, placements)) {
    sheet_->open(*step);
  } else {
    window_.messages().showMessage(kEditSubject,
                                   {MessageBar::Kind::Problem, toQString(step.error().message)});
  }
}

// Shows the sheet, so that the effect is visible.
void ProgramEditing::showHistory(void (QUndoStack::*move)()) {
  (changes_.history().*move)();
  if (!sheet_->isVisible()) {
    sheet_->open(sheet_->step());
  }
}

void ProgramEditing::undo() { showHistory(&QUndoStack::undo); }

void ProgramEditing::redo() { showHistory(&QUndoStack::redo); }

void ProgramEditing::run() {
  if (!runs_) {
    runs_ = std::make_unique<RunFolder>();
  }
  const QString folder = runs_->filePath(QString::number(++run_));
  const QString path = folder + u'/' + name_;
  if (!QDir().mkpath(folder) || !write(path)) {
    return;
  }
  step_ = window_.currentStep();
  isStarting_ = host_.open({path}, std::nullopt, DocumentHost::Earlier::Kept);
}

void ProgramEditing::compareEarlier() { whenBothAreOver(&ProgramEditing::compare); }

void ProgramEditing::openEarlier() { whenBothAreOver(&ProgramEditing::openBeside); }

// Runs both engines to their ends first, then calls `act`. Does nothing without an earlier run.
void ProgramEditing::whenBothAreOver(void (ProgramEditing::*act)()) {
  Document* earlier = host_.earlier();
  if (earlier == nullptr) {
    return;
  }
  act_ = act;
  connect(earlier, &Document::stateChanged, this, &ProgramEditing::actWhenOver,
          Qt::UniqueConnection);
  connect(earlier, &Document::failed, this, &ProgramEditing::actWhenOver, Qt::UniqueConnection);
  earlier->runTo(kEnd);
  host_.document()->runTo(kEnd);
  window_.messages().showMessage(kEditSubject,
                                 {MessageBar::Kind::Note, tr("Running both programs to their end…"),
                                  tr("Cancel"), [this] { act_ = nullptr; }});
  actWhenOver();
}

void ProgramEditing::actWhenOver() {
  const Document* earlier = host_.earlier();
  if (act_ == nullptr || earlier == nullptr || earlier->mayGrow() || host_.document()->mayGrow()) {
    return;
  }
  window_.messages().withdraw(kEditSubject);
  (this->*std::exchange(act_, nullptr))();
}

void ProgramEditing::compare() {
  const Document* earlier = host_.earlier();
  const QStringList files = earlier->recordings();
  window_.comparison().compare(host_.document()->source(),
                               files.size() == 1 ? files.front() : earlier->path(),
                               tr("the previous run"));
}

// Opens a copy of a live recording, because the next run deletes the original.
void ProgramEditing::openBeside() {
  const Document* earlier = host_.earlier();
  if (earlier->engine() == nullptr) {
    return window_.openBeside(earlier->path());
  }
  const QString copy =
      runs_->filePath(tr("%1 before change %2").arg(QFileInfo(name_).completeBaseName()).arg(run_) +
                      QStringLiteral(".shardlens"));
  if (const auto saved = earlier->save(copy); saved || QFileInfo::exists(copy)) {
    window_.openBeside(copy);
  } else {
    window_.messages().showMessage(kEditSubject,
                                   {MessageBar::Kind::Problem, toQString(saved.error().message)});
  }
}

bool ProgramEditing::save() { return file_.isEmpty() ? saveAs() : write(file_) && saved(); }

bool ProgramEditing::saveAs() {
  const QString path = chooseWhereToSaveProgram(&window_, name_);
  if (path.isEmpty() || !write(path)) {
    return false;
  }
  file_ = path;
  return saved();
}

bool ProgramEditing::saved() {
  changes_.setSaved();
  window_.messages().showMessage(kEditSubject,
                                 {MessageBar::Kind::Note, tr("Saved as %1.").arg(file_)});
  return true;
}

bool ProgramEditing::write(const QString& path) {
  QSaveFile file(path);
  const std::string& text = changes_.text();
  if (file.open(QIODevice::WriteOnly) &&
      file.write(text.data(), static_cast<qint64>(text.size())) >= 0 && file.commit()) {
    return true;
  }
  window_.messages().showMessage(
      kEditSubject, {MessageBar::Kind::Problem, path + QStringLiteral(": ") + file.errorString()});
  return false;
}

bool ProgramEditing::mayLose() {
  if (!changes_.isUnsaved()) {
    return true;
  }
  QMessageBox box(QMessageBox::Question, tr("Unsaved program"),
                  tr("%1 has unsaved changes.").arg(name_),
                  QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, &window_);
  box.setObjectName(QStringLiteral("unsavedProgram"));
  box.setDefaultButton(QMessageBox::Save);
  const int answer = box.exec();
  return answer == QMessageBox::Discard || (answer == QMessageBox::Save && save());
}

}  // namespace shardlens
