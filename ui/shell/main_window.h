#pragma once

#include "core/view/words/placement_words.h"
#include "ui/bridge/cursor.h"
#include "ui/bridge/document_host.h"
#include "ui/bridge/position_history.h"
#include "ui/bridge/run_folder.h"
#include "ui/models/breakpoints_model.h"
#include "ui/models/problem_watch.h"
#include "ui/models/run_places.h"
#include "ui/pages/command_palette.h"
#include "ui/pages/message_bar.h"
#include "ui/scenes/theme.h"
#include "ui/shell/commands.h"
#include "ui/shell/dock_layout.h"
#include "ui/shell/run_control.h"
#include "ui/widgets/row_actions.h"

#include <QMainWindow>
#include <QTimer>
#include <limits>
#include <memory>
#include <optional>

class QStackedWidget;

namespace shardlens {

class BookmarkControl;
class BreakpointsSheet;
class ComparisonPage;
class Exports;
class HandbookWindow;
class Legend;
class LinkBar;
class OpeningPage;
class Panel;
class Presentation;
class ProgramEditing;
class ProgramPanel;
class RecentFiles;
class ShortcutSheet;
class StepsPanel;
class TopBar;
class Tour;
class WelcomePage;
class WindowLink;

// The window: one document, one cursor, and panels that are redrawn from it. Panels dock in a
// separate QMainWindow, so that all gaps between cards are equal. While no document is open, the
// welcome page is shown instead, or the totals of the run that is opening.
class MainWindow final : public QWidget {
  Q_OBJECT

 public:
  // Whether settings are read and stored: layout, colour scheme, recent files.
  enum class Memory { Keeps, Forgets };

  static constexpr QSize kSmallest{640, 480};

  explicit MainWindow(Memory memory, QWidget* parent = nullptr);
  ~MainWindow() override;

  // Starts to open a file or folder. `position` nullopt: a scenario opens at its start, a recording
  // at its first error or differing result, else at its end. The open document is replaced only
  // when the new one has been read, or its engine has accepted the scenario; isOpening() until
  // then.
  // Returns false if the user cancels to keep unsaved changes, or if the file is known at once to
  // be invalid. Errors appear in the message bar. `steps`: see Document::open(); if it is nullopt
  // and the run is large, a dialog asks for steps.
  bool openPath(const QString& path, std::optional<EventId> position = std::nullopt,
                const Document::Steps& steps = std::nullopt);
  // Opens paths that belong to one run as one document. The first document opens here, each further
  // one in a new window.
  void openPaths(const QStringList& paths);
  bool isOpening() const { return opening() != nullptr; }
  void closeDocument();  // does not ask about unsaved changes
  // Saves the recording. Returns false, with a message in the message bar, if that fails. Requires
  // a document.
  bool saveRecording(const QString& path);
  // Compares the open recording with another one in the comparison page. Requires a document. If
  // the document is a folder, a recording of one process stands for the folder of its run.
  void compareWith(const QString& chosen);
  // Opens a document in a window beside this one, at the position, and links the two; see
  // WindowLink. Reuses the window that was opened beside this one before. The path is as for
  // compareWith().
  void openBeside(const QString& chosen, std::optional<EventId> position = std::nullopt);
  // Parts of the window, which owns them.
  ComparisonPage& comparison() { return *comparison_; }
  ProgramEditing& editing() { return *editing_; }
  void resetLayout();  // ends a presentation; does nothing without a document
  // Arranges the panels for a purpose, also if the user has moved them. Compare shows the
  // comparison if there is one.
  void usePerspective(Perspective perspective);
  void setDark(bool dark);  // in all windows; overrides the colour scheme of the desktop
  void useDark(bool dark);  // the same, for this run only: does not store it
  bool isDark() const;
  void setZoom(double zoom);  // of the whole program
  void useZoom(double zoom);  // the same, for this run only: does not store it
  // Sets the notation of placements in this window, and of windows that are opened later.
  void setNotation(view::Notation notation);
  // Sets the notation of placements in this window only. Does not store it.
  void useNotation(view::Notation notation);
  view::Notation notation() const;
  void redraw();  // immediately; otherwise done when the cursor moves
  // Moves the cursor to a position and records the previous one in the history, unless it is the
  // same.
  void jumpTo(EventId position);
  void programChanged();    // updates title and commands after a change of the program
  int currentStep() const;  // step at the position, from 0; -1: before the first step

  Cursor& cursor() { return cursor_; }
  DocumentHost& host() { return host_; }
  // The open document, and the one that is opening; null if there is none. The host owns both.
  Document* document() const { return host_.document(); }
  Document* opening() const { return host_.opening(); }
  const ProblemWatch& problems() const { return problems_; }
  MessageBar& messages() const { return *messages_; }
  BreakpointsModel& breakpoints() { return breakpoints_; }
  // Returns the error of the newest opening or run; empty if there is none. Cleared when a document
  // starts to open, opens or closes.
  QString lastProblem() const { return problem_; }
  WindowLink* link() const { return link_; }  // null: not linked
  LinkBar& linkBar() const { return *linkBar_; }
  // Called by a WindowLink when it starts and, with nullptr, when it ends.
  void setLink(WindowLink* link);
  // Marks the sorted events in Events that differ in the linked window, and the first of them.
  void setDifferences(std::shared_ptr<const std::vector<EventId>> events, EventId first);

 Q_SIGNALS:
  void redrawn();  // the panels, the position or the problems were updated

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  bool event(QEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void makePanels();
  void makeMenus();
  void connectParts();
  Commands::Handlers handlers();

  void documentPresented(std::optional<EventId> position);
  void documentChanged();
  void documentFailed(const QString& message);
  void documentRefused(const QString& message);
  void forgetJournal();
  void showTitle();
  void showWelcome();
  void adaptPerspective();
  void arrangeFor(const RunContent& content);
  void showOpening(const RunSummary& summary);
  void askForSteps(const RunSummary& summary);
  void openSteps();
  void showWait();
  void openingChanged();
  void showAvailable();
  void showProblemCount();
  void goToEvent(EventId event);
  QString counterpartAt(const QString& path) const;
  void goToDifference(void (WindowLink::*linked)(), void (ComparisonPage::*compared)());
  void showComparison();
  void showPanels();
  void bringUp(const Panel& panel);
  void goToProblem(EventId (ProblemWatch::*find)(EventId) const, EventId start);
  void goToFirstError();
  void raiseProblems();
  std::vector<CommandPalette::Place> placesFor(const QString& letters);
  void goToPlace(const RunPlace& place);
  void watchProblems();
  void showProgress();
  void showPosition();
  void recallBreakpoints();

  void jumpToStep(int step);
  void jumpToNote(std::optional<int> (*find)(const QJsonObject& scenario, int step));
  void goBackInHistory();
  void goForwardInHistory();

  void openExample(int by);              // the next item of the gallery, or the previous one for -1
  void openChosen(const QString& path);  // empty: the user cancelled
  void paste();
  MainWindow* newWindow();
  void openFollowDialog();
  void runAgain();
  void filterRows();
  void openHandbook();
  void inspect(TensorId tensor, int rank, const Shape& local);
  void followSystem();
  void offerTour();
  bool isTourDue() const;
  void useColourScheme(ColourScheme scheme);
  void setMotion(bool enabled);
  void saveRecordingAs();
  void stopEngine();
  void runToCursor();
  void toggleBreakpoint();
  void findRank();
  void showShard(int rank);
  void filterSteps(const QString& query);
  void breakOn(const QString& query);
  void openWhatIf();
  void applyToSimilar(WithEvent action, EventId event);
  void editBookmark();
  void remember();
  void recall();
  void storeColours();
  void placeDocks();

  Memory memory_;
  DocumentHost host_;
  Cursor cursor_;
  PositionHistory history_;
  BreakpointsModel breakpoints_;
  QString breakpointsOf_;  // path of the document that breakpoints_ belong to
  ProblemWatch problems_;
  QMainWindow* area_;
  std::unique_ptr<DockLayout> docks_;
  Presentation* presentation_ = nullptr;
  Tour* tour_ = nullptr;
  TopBar* top_;
  MessageBar* messages_;
  LinkBar* linkBar_;
  QStackedWidget* middle_;
  WelcomePage* welcome_;
  OpeningPage* openingPage_;
  RecentFiles* recent_;
  std::vector<Panel*> panels_;
  ProgramPanel* program_ = nullptr;  // panels that commands refer to
  StepsPanel* steps_ = nullptr;
  std::unique_ptr<Commands> commands_;
  CommandPalette* palette_ = nullptr;
  RunPlaces places_;
  ComparisonPage* comparison_ = nullptr;
  HandbookWindow* handbook_ = nullptr;  // null until it is opened first
  Legend* legend_ = nullptr;
  ShortcutSheet* shortcuts_ = nullptr;
  BreakpointsSheet* breakpointsSheet_ = nullptr;
  std::unique_ptr<RunControl> run_;
  std::unique_ptr<BookmarkControl> bookmarks_;
  Exports* exports_;
  WindowLink* link_ = nullptr;
  ProgramEditing* editing_;
  std::unique_ptr<RunFolder> pasted_;  // folder of the pasted scenarios
  int pastes_ = 0;
  QString problem_;
  QString ending_;     // message about how the open run ended
  double normalZoom_;  // zoom factor of the system
  QTimer progress_;    // delay before a wait is shown
  Perspective arranged_ =
      Perspective::Step;    // that of the content that the panels were arranged for
  bool hasTotals_ = false;  // openingPage_ has the totals of the run that is opening
  bool placed_ = false;
  bool hasStopped_ = false;  // the last key was Escape, which stopped a search or playback
  inline static const QString kWrapped = QStringLiteral("wrapped");  // subject of a message
  EventId wrappedTo_ = 0;  // event of the message that the search for problems wrapped; 0: none
  // The position at which a recording opened, while an earlier error that is found moves it; the
  // end is kAtEnd. 0 after another move.
  EventId openedAt_ = 0;
  static constexpr EventId kAtEnd = std::numeric_limits<EventId>::max();
};

}  // namespace shardlens
