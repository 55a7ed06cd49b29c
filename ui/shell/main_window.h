#pragma once

#include "core/view/placement_words.h"
#include "ui/bridge/cursor.h"
#include "ui/bridge/document_host.h"
#include "ui/bridge/position_history.h"
#include "ui/bridge/run_folder.h"
#include "ui/models/breakpoints_model.h"
#include "ui/models/problem_watch.h"
#include "ui/pages/message_bar.h"
#include "ui/scenes/theme.h"
#include "ui/shell/commands.h"
#include "ui/shell/dock_layout.h"
#include "ui/shell/run_control.h"
#include "ui/widgets/row_actions.h"

#include <QMainWindow>
#include <QTimer>
#include <memory>
#include <optional>

class QStackedWidget;

namespace shardlens {

class BookmarkControl;
class BreakpointsSheet;
class CommandPalette;
class ComparisonSheet;
class Exports;
class Legend;
class LinkBar;
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

// The window: one document, one cursor, and panels that all redraw from it. The panels dock in an
// area of their own, so that there is the same gap around the cards as between them; while nothing
// is open, the welcome page stands in its place.
class MainWindow final : public QWidget {
  Q_OBJECT

 public:
  enum class Memory { Keeps, Forgets };  // layout, look and recent files, between two runs

  static constexpr QSize kSmallest{800, 480};

  explicit MainWindow(Memory memory, QWidget* parent = nullptr);
  ~MainWindow() override;

  // Opens it at this position; without one, a scenario at its start and a recording at its first
  // error, else at its end. It takes the place of what is open only when it has been read, a
  // scenario when its engine has accepted it (isOpening until then); what cannot be opened never
  // does, and the message bar says why. False where that is known at once.
  bool openPath(const QString& path, std::optional<EventId> position = std::nullopt);
  // What belongs to one run is opened as one, here; each other thing in a window of its own.
  void openPaths(const QStringList& paths);
  bool isOpening() const { return opening() != nullptr; }
  void closeDocument() { host_.close(); }
  // False, with the reason in the message bar, when it cannot be written.
  bool saveRecording(const QString& path);
  void compareWith(const QString& path);
  // Opens it in a window beside this one, at this position, and links the two: see WindowLink. What
  // was opened beside this window before gives it its window.
  void openBeside(const QString& path, std::optional<EventId> position = std::nullopt);
  ComparisonSheet& comparison() { return *comparison_; }
  ProgramEditing& editing() { return *editing_; }
  void resetLayout();
  void setDark(bool dark);  // whatever the system is
  bool isDark() const;
  void setZoom(double zoom);
  void setNotation(view::Notation notation);  // of placements, in all windows
  void redraw();  // at once; else when the cursor has moved
  // From here one can come back to where the cursor was.
  void jumpTo(EventId position);
  void programChanged();    // in the sheet for that
  int currentStep() const;  // of the scenario, from 0; -1 before the first

  Cursor& cursor() { return cursor_; }
  DocumentHost& host() { return host_; }
  Document* document() const { return host_.document(); }
  Document* opening() const { return host_.opening(); }
  const ProblemWatch& problems() const { return problems_; }
  MessageBar& messages() const { return *messages_; }
  BreakpointsModel& breakpoints() { return breakpoints_; }
  QString lastProblem() const { return problem_; }
  WindowLink* link() const { return link_; }  // null: it goes its own way
  LinkBar& linkBar() const { return *linkBar_; }
  // Those who link it say so; they say it when they end, too.
  void setLink(WindowLink* link);
  // The events of Steps that differ in the window it is linked with; sorted.
  void setDifferences(std::shared_ptr<const std::vector<EventId>> events, EventId first);

 Q_SIGNALS:
  void redrawn();

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
  void showAvailable();
  void showProblemCount();
  void goToEvent(EventId event);
  void raiseProblems();
  void watchProblems();
  void showProgress();
  void showPosition();
  void recallBreakpoints();

  void jumpToStep(int step);
  void jumpToNote(std::optional<int> (*find)(const QJsonObject& scenario, int step));
  void goBackInHistory();
  void goForwardInHistory();

  void openChosen(const QString& path);  // empty: nothing was chosen
  void paste();
  MainWindow* newWindow();
  void askForRun();
  void runAgain();
  void filterRows();
  void inspect(TensorId tensor, int rank, const Shape& local);
  void followSystem();
  void offerTour();
  void useLook(Look look);
  void setMotion(bool wanted);
  void showNotation();
  void askWhereToSave();
  void stopEngine();
  void runToCursor();
  void toggleBreakpoint();
  void findRank();
  void showShard(int rank);
  void filterSteps(const QString& query);
  void breakOn(const QString& query);
  void askWhatIf();
  void takeLike(WithEvent what, EventId event);
  void editBookmark();
  void remember();
  void recall();
  void placeDocks();

  Memory memory_;
  DocumentHost host_;
  Cursor cursor_;
  PositionHistory history_;
  BreakpointsModel breakpoints_;
  QString breakpointsOf_;  // whose breakpoints they are
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
  RecentFiles* recent_;
  std::vector<Panel*> panels_;
  ProgramPanel* program_ = nullptr;  // two of them that commands are about
  StepsPanel* steps_ = nullptr;
  std::unique_ptr<Commands> commands_;
  CommandPalette* palette_ = nullptr;
  ComparisonSheet* comparison_ = nullptr;
  Legend* legend_ = nullptr;
  ShortcutSheet* shortcuts_ = nullptr;
  BreakpointsSheet* breakpointsSheet_ = nullptr;
  std::unique_ptr<RunControl> run_;
  std::unique_ptr<BookmarkControl> bookmarks_;
  Exports* exports_;
  WindowLink* link_ = nullptr;
  ProgramEditing* editing_;
  std::unique_ptr<RunFolder> pasted_;  // the scenarios that were pasted here
  int pastes_ = 0;
  QString problem_;
  QString ending_;     // what was said of the end of the run that is open
  double normalZoom_;  // when a person has not chosen one
  QTimer progress_;    // until it is shown that somebody is waited for
  bool placed_ = false;
};

}  // namespace shardlens
