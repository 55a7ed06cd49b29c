// Part of MainWindow: menus and command handlers.
#include "core/view/words/run_again.h"
#include "ui/bridge/named_paths.h"
#include "ui/bridge/plain_check.h"
#include "ui/pages/breakpoints_sheet.h"
#include "ui/pages/command_palette.h"
#include "ui/pages/comparison_page.h"
#include "ui/pages/file_dialogs.h"
#include "ui/pages/follow_dialog.h"
#include "ui/pages/gallery.h"
#include "ui/pages/legend.h"
#include "ui/pages/shortcuts.h"
#include "ui/pages/tour.h"
#include "ui/panels/program_panel.h"
#include "ui/panels/shards_panel.h"
#include "ui/panels/steps_panel.h"
#include "ui/scenes/zoom.h"
#include "ui/shell/bookmark_control.h"
#include "ui/shell/exports.h"
#include "ui/shell/main_window.h"
#include "ui/shell/presentation.h"
#include "ui/shell/program_editing.h"
#include "ui/shell/recent_files.h"
#include "ui/shell/top_bar.h"
#include "ui/shell/window_link.h"
#include "ui/text/format.h"
#include "ui/text/program.h"
#include "ui/widgets/motion.h"

#include <QApplication>
#include <QDockWidget>
#include <QFileInfo>
#include <QMenu>
#include <QMenuBar>

namespace shardlens {
namespace {

// Applies to all windows of the program.
void setPlainCheck(bool enabled) {
  PlainCheck::setEnabled(enabled);
  for (QWidget* each : QApplication::topLevelWidgets()) {
    if (auto* window = qobject_cast<MainWindow*>(each)) {
      window->findChild<QAction*>(QStringLiteral("checkResults"))->setChecked(enabled);
    }
  }
}

}  // namespace

void MainWindow::makeMenus() {
  QMenuBar* menus = top_->menus();
  QMenu* file = menus->addMenu(nameOf(CommandMenu::File));
  commands_->fillMenu(*file, CommandMenu::File);
  const auto actions = file->actions();
  const auto opening = actions.indexOf(&commands_->action("follow"));
  file->insertMenu(actions[opening + 1], recent_);
  commands_->fillMenu(*menus->addMenu(nameOf(CommandMenu::Edit)), CommandMenu::Edit);
  commands_->fillMenu(*menus->addMenu(nameOf(CommandMenu::Go)), CommandMenu::Go);
  QMenu* view = menus->addMenu(nameOf(CommandMenu::View));
  for (QDockWidget* dock : docks_->docks()) {
    view->addAction(dock->toggleViewAction());
  }
  view->addSeparator();
  commands_->fillMenu(*view, CommandMenu::View);
  commands_->fillMenu(*menus->addMenu(nameOf(CommandMenu::Help)), CommandMenu::Help);
  commands_->addButtons(*top_);
  commands_->action("checkResults").setChecked(PlainCheck::isEnabled());
  useNotation(notation());
}

Commands::Handlers MainWindow::handlers() {
  return {
      {"start", [this] { jumpTo(0); }},
      {"back", [this] { cursor_.back(); }},
      {"backOver", [this] { cursor_.backOver(); }},
      {"step", [this] { cursor_.step(); }},
      {"over", [this] { cursor_.over(); }},
      {"out", [this] { cursor_.out(); }},
      {"end",
       [this] {
         history_.jump(cursor_.position());
         cursor_.toEnd();
       }},
      {"nextProblem", [this] { goToProblem(&ProblemWatch::next, 0); }},
      {"previousProblem", [this] { goToProblem(&ProblemWatch::previous, cursor_.size() + 1); }},
      {"nextBookmark", [this] { goToEvent(bookmarks_->next()); }},
      {"previousBookmark", [this] { goToEvent(bookmarks_->previous()); }},
      {"bookmark", [this] { editBookmark(); }},
      {"removeBookmark", [this] { bookmarks_->removeHere(); }},
      {"restoreBookmark", [this] { bookmarks_->undo(); }},
      {"backInHistory", [this] { goBackInHistory(); }},
      {"forwardInHistory", [this] { goForwardInHistory(); }},
      {"continue", [this] { run_->toNextBreakpoint(); }},
      {"continueBack", [this] { run_->toPreviousBreakpoint(); }},
      {"runToCursor", [this] { runToCursor(); }},
      {"play", [this] { run_->setPlaying(!run_->isPlaying()); }},
      {"faster", [this] { run_->faster(); }},
      {"slower", [this] { run_->slower(); }},
      {"nextMatch", [this] { run_->toNextMatch(steps_->filter()); }},
      {"previousMatch", [this] { run_->toPreviousMatch(steps_->filter()); }},
      {"goToRank", [this] { findRank(); }},
      {"toggleBreakpoint", [this] { toggleBreakpoint(); }},
      {"breakpoints", [this] { breakpointsSheet_->toggle(); }},
      {"firstDifference",
       [this] {
         goToDifference(&WindowLink::goToFirstDifference, &ComparisonPage::goToFirstDifference);
       }},
      {"nextDifference",
       [this] {
         goToDifference(&WindowLink::goToNextDifference, &ComparisonPage::goToNextDifference);
       }},
      {"previousDifference",
       [this] {
         goToDifference(&WindowLink::goToPreviousDifference,
                        &ComparisonPage::goToPreviousDifference);
       }},
      {"nextNote", [this] { jumpToNote(stepWithNoteAfter); }},
      {"previousNote", [this] { jumpToNote(stepWithNoteBefore); }},
      {"stopEngine", [this] { stopEngine(); }},
      {"newWindow", [this] { newWindow()->show(); }},
      {"open", [this] { openChosen(chooseFile(this)); }},
      {"openFolder", [this] { openChosen(chooseFolder(this)); }},
      {"openSteps", [this] { openSteps(); }},
      {"follow", [this] { openFollowDialog(); }},
      {"nextExample", [this] { openExample(1); }},
      {"previousExample", [this] { openExample(-1); }},
      {"paste", [this] { paste(); }},
      {"export", [this] { exports_->openDialog(); }},
      {"copyStep", [this] { exports_->copyStep(currentStep()); }},
      {"save", [this] { saveRecordingAs(); }},
      {"runAgain", [this] { runAgain(); }},
      {"checkResults",
       [this] {
         setPlainCheck(!PlainCheck::isEnabled());
         runAgain();
       }},
      {"undo", [this] { editing_->undo(); }},
      {"redo", [this] { editing_->redo(); }},
      {"changeProgram", [this] { editing_->change(currentStep()); }},
      {"whatIf", [this] { openWhatIf(); }},
      {"runChanged", [this] { editing_->run(); }},
      {"compareEarlier", [this] { editing_->compareEarlier(); }},
      {"openEarlier", [this] { editing_->openEarlier(); }},
      {"saveProgram", [this] { editing_->save(); }},
      {"saveProgramAs", [this] { editing_->saveAs(); }},
      {"compare",
       [this] {
         if (const QString path = chooseFile(this); !path.isEmpty()) {
           compareWith(path);
         }
       }},
      {"openBeside",
       [this] {
         if (const QString path = chooseFile(this); !path.isEmpty()) {
           openBeside(path);
         }
       }},
      {"unlink", [this] { link_->end(); }},
      {"close",
       [this] {
         if (editing_->mayLose()) {
           closeDocument();
         }
       }},
      {"quit", [] { QApplication::closeAllWindows(); }},
      {"filter", [this] { filterRows(); }},
      {"dark", [this] { setDark(isDark()); }},
      {"asSystem",
       [this] {
         followSystem();
         storeColours();
       }},
      {"notationDTensor", [this] { setNotation(view::Notation::DTensor); }},
      {"notationAxes", [this] { setNotation(view::Notation::NamedAxes); }},
      {"notationJax", [this] { setNotation(view::Notation::PartitionSpec); }},
      {"motion", [this] { setMotion(!Motion::isEnabled()); }},
      {"largerType", [this] { setZoom(Zoom::now().larger()); }},
      {"smallerType", [this] { setZoom(Zoom::now().smaller()); }},
      {"normalType", [this] { setZoom(normalZoom_); }},
      {"present", [this] { presentation_->setOn(!presentation_->isOn()); }},
      {"tour", [this] { tour_->begin(); }},
      {"stepPerspective", [this] { usePerspective(Perspective::Step); }},
      {"jobPerspective", [this] { usePerspective(Perspective::Job); }},
      {"hangPerspective", [this] { usePerspective(Perspective::Hang); }},
      {"comparePerspective", [this] { usePerspective(Perspective::Compare); }},
      {"resetLayout", [this] { resetLayout(); }},
      {"palette", [this] { palette_->open(); }},
      {"handbook", [this] { openHandbook(); }},
      {"legend", [this] { legend_->toggle(); }},
      {"shortcuts", [this] { shortcuts_->toggle(); }},
  };
}

void MainWindow::showAvailable() {
  const bool open = document() != nullptr;
  commands_->setAvailable(Needs::Document, open);
  // The copies of a followed run are removed with its document.
  commands_->setAvailable(Needs::Recording,
                          open && document()->hasSteps() && host_.following() == nullptr);
  commands_->setAvailable(Needs::GalleryItem, open && galleryIndex(document()->path()) >= 0);
  commands_->setAvailable(Needs::Step, open && currentStep() >= 0);
  commands_->setAvailable(Needs::OneRecording, open && document()->canSave());
  const bool isLive = open && document()->engine() != nullptr;
  const bool hasProgram = open && editing_->changes().hasProgram();
  const auto reason = toQString(open ? view::whyNotRunAgain(document()->journal()) : "");
  commands_->setAvailable(Needs::Scenario, isLive || hasProgram, reason);
  commands_->setAvailable(Needs::Program, hasProgram, reason);
  commands_->setAvailable(Needs::ChangedProgram, open && editing_->canRun());
  commands_->setAvailable(Needs::UnsavedProgram, open && editing_->changes().isUnsaved());
  commands_->setAvailable(Needs::Undo, open && editing_->changes().history().canUndo());
  commands_->setAvailable(Needs::Redo, open && editing_->changes().history().canRedo());
  commands_->setAvailable(Needs::EarlierRun, open && host_.earlier() != nullptr);
  commands_->setAvailable(Needs::RunningEngine, host_.runningEngine() != nullptr);
  commands_->setAvailable(Needs::Rewind, open && (cursor_.position() > 0 || cursor_.waits()));
  commands_->setAvailable(Needs::EarlierEvents, open && cursor_.position() > 0);
  commands_->setAvailable(Needs::LaterEvents, open && !cursor_.atEnd());
  commands_->setAvailable(Needs::Filter, open && !steps_->filter().empty());
  commands_->setAvailable(Needs::Link, link_ != nullptr);
  commands_->setAvailable(Needs::LinkedDifferences, link_ != nullptr
                                                        ? link_->hasDifferences()
                                                        : comparison_->hasDifferences());
  commands_->setAvailable(Needs::EarlierPosition, open && history_.hasBack());
  commands_->setAvailable(Needs::LaterPosition, open && history_.hasForward());
  commands_->setAvailable(Needs::Event, open && cursor_.position() > 0);
  commands_->setAvailable(Needs::Bookmark, open && bookmarks_->isHere());
  commands_->setAvailable(Needs::EarlierBookmark, open && bookmarks_->previous() != 0);
  commands_->setAvailable(Needs::LaterBookmark, open && bookmarks_->next() != 0);
  commands_->setAvailable(Needs::RemovedBookmark, open && bookmarks_->canUndo());
  commands_->setAvailable(Needs::AnyProblem, problems_.next(0) != 0);
}

// Keeps the open document until the first recording of the run arrives.
void MainWindow::openFollowDialog() {
  if (!editing_->mayLose()) {
    return;
  }
  auto* dialog = new FollowDialog(this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &FollowDialog::followed, this,
          [this](FollowClient* client) { host_.follow(std::unique_ptr<FollowClient>(client)); });
  dialog->open();
}

// Uses the tensor that Shards shows, or the current line if the program panel has the focus. If
// Shards shows the tensor of the event, and a problem there suspects another one, uses that.
void MainWindow::openWhatIf() {
  const TensorId tensor = cursor_.position() == 0 ? 0 : findChild<ShardsPanel*>()->chosen();
  const std::string suspect = problems_.suspectAt(cursor_.position());
  if (program_->isAncestorOf(QApplication::focusWidget()) && program_->currentStep() >= 0) {
    editing_->whatIfStep(program_->currentStep());
  } else if (!suspect.empty() && tensor == cursor_.snapshot().focus) {
    editing_->whatIf(toQString(suspect));
  } else if (tensor != 0) {
    editing_->whatIf(QString::fromStdString(cursor_.journal().tensor(tensor).name));
  }
}

void MainWindow::stopEngine() {
  if (EngineClient* engine = host_.runningEngine()) {
    engine->stop();
  }
}

// Runs the program in the recording, or the changed program that ran, because its file may not have
// the changes.
void MainWindow::runAgain() {
  if (editing_->isChangedRun() || document()->engine() == nullptr) {
    editing_->run();
  } else {
    openPath(document()->path());
  }
}

void MainWindow::goToDifference(void (WindowLink::*linked)(), void (ComparisonPage::*compared)()) {
  link_ != nullptr ? (link_->*linked)() : (comparison_->*compared)();
}

QString MainWindow::counterpartAt(const QString& path) const {
  const bool isFolder = document() != nullptr && QFileInfo(document()->path()).isDir();
  const QString folder = isFolder ? folderOfRun(path) : QString();
  return folder.isEmpty() ? path : folder;
}

void MainWindow::compareWith(const QString& chosen) {
  const QString path = counterpartAt(chosen);
  comparison_->compare(document()->source(), path, QFileInfo(path).fileName());
}

void MainWindow::saveRecordingAs() {
  const QString name = QFileInfo(document()->path()).completeBaseName();
  if (const QString path = chooseWhereToSave(this, name); !path.isEmpty()) {
    saveRecording(path);
  }
}

bool MainWindow::saveRecording(const QString& path) {
  const auto saved = document()->save(path);
  const QString subject = QStringLiteral("saved");
  if (!saved) {
    messages_->showMessage(
        subject, {MessageBar::Kind::Problem, QString::fromStdString(saved.error().message)});
    return false;
  }
  messages_->showMessage(subject, {MessageBar::Kind::Note, tr("Saved as %1.").arg(path)});
  if (memory_ == Memory::Keeps) {
    recent_->add(path);
  }
  return true;
}

}  // namespace shardlens
