#pragma once

#include "ui/bridge/cursor.h"
#include "ui/bridge/document.h"
#include "ui/bridge/follow_client.h"
#include "ui/shell/commands.h"
#include "ui/shell/dock_layout.h"
#include "ui/shell/message_bar.h"

#include <QMainWindow>
#include <QTimer>
#include <memory>
#include <optional>

class QStackedWidget;

namespace shardlens {

class Legend;
class Panel;
class ShortcutSheet;
class TopBar;
class WelcomePage;

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
  // error, else at its end. False, with the reason in the message bar, when it cannot be opened. A
  // scenario takes the place of what is open only when its engine has accepted it (isOpening until
  // then); what cannot be opened never does.
  bool openPath(const QString& path, std::optional<EventId> position = std::nullopt);
  bool isOpening() const { return opening_ != nullptr; }
  void closeDocument();
  // False, with the reason in the message bar, when it cannot be written.
  bool saveRecording(const QString& path);
  void resetLayout();
  void setDark(bool dark);
  bool isDark() const;
  void redraw();  // at once; else when the cursor has moved

  Cursor& cursor() { return cursor_; }
  Document* document() const { return document_.get(); }
  Document* opening() const { return opening_.get(); }
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
  Commands::Handlers handlers();
  void stopEngine();
  void showAvailable();
  void showProgress();
  void documentChanged();
  void documentFailed(const QString& message);
  void showTitle();
  void showFailure();
  void askForFile();
  void askForFolder();
  void askForRun();
  void askWhereToSave();
  void openFollowed(std::unique_ptr<FollowClient> client);
  void openScenario(std::unique_ptr<Document> document, std::optional<EventId> position);
  void openingChanged();
  void refuse(const QString& message);
  // `following` brings the document's recording here, if anybody does.
  void present(std::unique_ptr<Document> document, std::optional<EventId> position,
               std::unique_ptr<FollowClient> following = nullptr);
  void offerToStop(Document* document, const QString& subject);
  EngineClient* runningEngine() const;
  void remember();
  void recall();
  void addRecent(const QString& path);
  void placeDocks();

  // What is said of an engine that does not answer: that of the document, and of the one opening.
  static inline const QString kSilent = QStringLiteral("silent");
  static inline const QString kSilentOpening = QStringLiteral("silent, opening");

  Memory memory_;
  std::unique_ptr<FollowClient> following_;  // the document is in its folder
  std::unique_ptr<Document> opening_;        // a scenario that its engine has not accepted yet
  std::optional<EventId> openAt_;
  std::unique_ptr<Document> document_;
  Cursor cursor_;
  std::unique_ptr<Commands> commands_;
  QMainWindow* area_;
  std::unique_ptr<DockLayout> docks_;
  TopBar* top_;
  MessageBar* messages_;
  QStackedWidget* middle_;
  WelcomePage* welcome_;
  QMenu* recent_ = nullptr;
  std::vector<Panel*> panels_;
  Legend* legend_ = nullptr;
  ShortcutSheet* shortcuts_ = nullptr;
  QString problem_;
  QString failure_;  // as it was said last
  QTimer progress_;  // until it is shown that somebody is waited for
  bool placed_ = false;
};

}  // namespace shardlens
