// Part of MainWindow: connections to its parts and panels.
#include "ui/models/run_content.h"
#include "ui/pages/comparison_page.h"
#include "ui/pages/file_dialogs.h"
#include "ui/pages/welcome_page.h"
#include "ui/panels/bookmarks_box.h"
#include "ui/panels/inspector_panel.h"
#include "ui/panels/mesh_panel.h"
#include "ui/panels/notes_panel.h"
#include "ui/panels/overview_panel.h"
#include "ui/panels/panel_catalogue.h"
#include "ui/panels/problems_panel.h"
#include "ui/panels/program_panel.h"
#include "ui/panels/shards_panel.h"
#include "ui/panels/steps_panel.h"
#include "ui/panels/timeline_panel.h"
#include "ui/panels/why_panel.h"
#include "ui/shell/bookmark_control.h"
#include "ui/shell/document_messages.h"
#include "ui/shell/exports.h"
#include "ui/shell/link_bar.h"
#include "ui/shell/main_window.h"
#include "ui/shell/presentation.h"
#include "ui/shell/program_editing.h"
#include "ui/shell/recent_files.h"
#include "ui/shell/remembered_breakpoints.h"
#include "ui/shell/top_bar.h"
#include "ui/shell/window_link.h"

#include <QAction>
#include <QFileInfo>

namespace shardlens {

void MainWindow::makePanels() {
  for (const PanelEntry& entry : panelCatalogue()) {
    Panel* panel = docks_->add(entry);
    connect(panel, &Panel::positionRequested, this, &MainWindow::jumpTo);
    connect(panel, &Panel::stepRequested, this, &MainWindow::jumpToStep);
    connect(panel, &Panel::elementRequested, this, &MainWindow::inspect);
    connect(panel, &Panel::changeRequested, editing_, &ProgramEditing::change);
    connect(panel, &Panel::whatIfRequested, editing_, &ProgramEditing::whatIf);
    connect(panel, &Panel::whatIfStepRequested, editing_, &ProgramEditing::whatIfStep);
    connect(panel, &Panel::placementRequested, editing_, &ProgramEditing::place);
    connect(panel, &Panel::filterRequested, this, &MainWindow::filterSteps);
    connect(panel, &Panel::breakpointRequested, this, &MainWindow::breakOn);
    connect(panel, &Panel::similarRequested, this, &MainWindow::applyToSimilar);
    connect(panel, &Panel::exportRequested, this, [this, name = shortNameOf(entry)] {
      if (document() != nullptr) {
        exports_->openDialog(name);
      }
    });
    connect(panel, &Panel::stepCopyRequested, exports_, &Exports::copyStep);
    panels_.push_back(panel);
  }
  findChild<ProblemsPanel*>()->setWatch(problems_);
  findChild<OverviewPanel*>()->setWatch(problems_);
  findChild<WhyPanel*>()->setWatch(problems_);
  findChild<ShardsPanel*>()->setWatch(problems_);
  findChild<InspectorPanel*>()->setWatch(problems_);
  connect(&findChild<NotesPanel*>()->bookmarks(), &BookmarksBox::changeRequested, bookmarks_.get(),
          &BookmarkControl::change);
  program_ = findChild<ProgramPanel*>();
  program_->setBreakpoints(breakpoints_);
  connect(program_, &ProgramPanel::sourceRequested, this, [this](const QString& recorded) {
    const QString name = QFileInfo(recorded).fileName();
    if (const QString path = chooseSource(this, name); !path.isEmpty()) {
      program_->learnSource(recorded, path);
    }
  });
  steps_ = findChild<StepsPanel*>();
  connect(steps_, &StepsPanel::filterChanged, this, &MainWindow::showAvailable);
  connect(steps_, &StepsPanel::matchesChanged, findChild<TimelinePanel*>(),
          &TimelinePanel::setMatches);
  auto* mesh = findChild<MeshPanel*>();
  connect(mesh, &MeshPanel::shardRequested, this, &MainWindow::showShard);
}

void MainWindow::connectParts() {
  connect(&host_, &DocumentHost::presented, this, &MainWindow::documentPresented);
  connect(&host_, &DocumentHost::changed, this, &MainWindow::documentChanged);
  connect(&host_, &DocumentHost::failed, this, &MainWindow::documentFailed);
  connect(&host_, &DocumentHost::refused, this, &MainWindow::documentRefused);
  connect(&host_, &DocumentHost::openingChanged, this, &MainWindow::openingChanged);
  connect(&host_, &DocumentHost::openingSummarized, this, &MainWindow::showOpening);
  connect(&host_, &DocumentHost::aboutToClose, this, &MainWindow::forgetJournal);
  connect(&host_, &DocumentHost::closed, this, &MainWindow::showWelcome);
  auto* reports = new DocumentMessages(*messages_, host_, problems_);
  reports->setParent(this);
  connect(reports, &DocumentMessages::positionRequested, this, &MainWindow::jumpTo);
  connect(reports, &DocumentMessages::stepsRequested, this, &MainWindow::openSteps);
  connect(welcome_, &WelcomePage::pathRequested, this, &MainWindow::openChosen);
  connect(reports, &DocumentMessages::pathRequested, this, &MainWindow::openChosen);
  connect(recent_, &RecentFiles::pathRequested, this, &MainWindow::openChosen);
  connect(recent_, &RecentFiles::changed, welcome_, &WelcomePage::setRecent);
  connect(welcome_, &WelcomePage::openRequested, &commands_->action("open"), &QAction::trigger);
  comparison_->setWatch(problems_);
  connect(comparison_, &ComparisonPage::positionRequested, this, &MainWindow::jumpTo);
  connect(comparison_, &ComparisonPage::shown, this,
          [this] { usePerspective(Perspective::Compare); });
  connect(comparison_, &ComparisonPage::closed, this, [this] {
    if (middle_->currentWidget() == comparison_) {
      showPanels();
      steps_->setFocus();
    }
    showAvailable();
  });
  connect(comparison_, &ComparisonPage::changed, this, [this] {
    showAvailable();
    Q_EMIT redrawn();
  });
  connect(comparison_, &ComparisonPage::similarRequested, this, &MainWindow::applyToSimilar);
  connect(comparison_, &ComparisonPage::otherRequested, this,
          [this](const QString& path, EventId position) {
            openBeside(path, position == 0 ? std::nullopt : std::optional(position));
          });
  connect(linkBar_, &LinkBar::differenceRequested, this, [this] { link_->goToFirstDifference(); });
  connect(linkBar_, &LinkBar::unlinkRequested, this, [this] { link_->end(); });
  connect(&cursor_, &Cursor::moved, this, &MainWindow::redraw);
  connect(&problems_, &ProblemWatch::changed, this, [this] {
    goToFirstError();
    showProblemCount();
    showAvailable();
    Q_EMIT redrawn();
  });
  connect(top_, &TopBar::positionRequested, this, [this] { palette_->open(); });
  connect(top_, &TopBar::problemsRequested, this, &MainWindow::raiseProblems);
  connect(run_.get(), &RunControl::leaves, this, [this] { history_.jump(cursor_.position()); });
  connect(run_.get(), &RunControl::changed, this, &MainWindow::showPosition);
  connect(&breakpoints_, &BreakpointsModel::changed, this, [this] {
    if (memory_ == Memory::Keeps && !breakpointsOf_.isEmpty()) {
      rememberBreakpoints(breakpointsOf_, breakpoints_.saved());
    }
  });
  connect(presentation_, &Presentation::changed, this, [this](bool on) {
    commands_->action("present").setChecked(on);
    if (!on && document() != nullptr) {
      arrangeFor(contentOf(document()->journal(), document()->mayGrow()));
    }
  });
  connect(bookmarks_.get(), &BookmarkControl::changed, this, &MainWindow::showAvailable);
  connect(&progress_, &QTimer::timeout, this, &MainWindow::showWait);
}

}  // namespace shardlens
