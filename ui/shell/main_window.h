#pragma once

#include "ui/bridge/cursor.h"
#include "ui/bridge/document.h"
#include "ui/bridge/follow_client.h"
#include "ui/shell/actions.h"
#include "ui/shell/dock_layout.h"
#include "ui/shell/message_bar.h"

#include <QMainWindow>
#include <functional>
#include <memory>

class QStackedWidget;

namespace shardlens {

class Panel;
class ProgramPanel;
class StepsPanel;
class TopBar;
class WelcomePage;

// The window: one document, one cursor, and panels that all redraw from it. The panels dock in an
// area of their own, so that there is the same gap around the cards as between them.
class MainWindow final : public QWidget {
  Q_OBJECT

 public:
  enum class Memory { Keeps, Forgets };  // layout, look and recent files, between two runs

  explicit MainWindow(Memory memory, QWidget* parent = nullptr);
  ~MainWindow() override;

  // False, with the reason in the message bar, when it cannot be opened; what was open stays.
  bool openPath(const QString& path);
  void closeDocument();
  void resetLayout();
  void setDark(bool dark);

  Cursor& cursor() { return cursor_; }
  Document* document() const { return document_.get(); }
  MessageBar& messages() const { return *messages_; }
  QString lastProblem() const { return problem_; }

 Q_SIGNALS:
  void redrawn();

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void makePanels();
  void makeMenus();
  void connectActions();
  void redraw();
  void documentChanged();
  void documentFailed(const QString& message);
  void askForFile();
  void askForFolder();
  void askForRun();
  void openFollowed(std::unique_ptr<FollowClient> client);
  bool openDocument(const QString& path);
  void offer(MessageBar::Kind kind, const QString& text, const QString& action,
             std::function<void()> what);
  void goToProgramStep(int step);
  void showDocks(bool visible);
  void remember();
  void recall();
  void addRecent(const QString& path);
  void placeDocks();

  Memory memory_;
  std::unique_ptr<FollowClient> following_;  // the document is in its folder
  std::unique_ptr<Document> document_;
  Cursor cursor_;
  std::unique_ptr<Actions> actions_;
  QMainWindow* area_;
  std::unique_ptr<DockLayout> docks_;
  TopBar* top_;
  MessageBar* messages_;
  QStackedWidget* middle_;
  WelcomePage* welcome_;
  QMenu* recent_ = nullptr;
  std::vector<Panel*> panels_;
  ProgramPanel* program_ = nullptr;
  StepsPanel* steps_ = nullptr;
  QString problem_;
  std::function<void()> offered_;  // by the message bar
  bool placed_ = false;
};

}  // namespace shardlens
