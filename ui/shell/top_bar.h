#pragma once

#include <QTimer>
#include <QWidget>
#include <vector>

class QAction;
class QLabel;
class QMenu;
class QMenuBar;
class QProgressBar;
class QPushButton;

namespace shardlens {

class ElidedLabel;

// The bar above the panels: menus, the title of the document, the buttons that move the cursor, and
// the position. In a narrow window the menus become one button, and the buttons that do not fit are
// listed in the menu of a button "…".
class TopBar final : public QWidget {
  Q_OBJECT

 public:
  static constexpr int kHeight = 46;

  explicit TopBar(QWidget* parent = nullptr);

  QMenuBar* menus() const { return menus_; }
  // How long a button stays in a narrow window. The main one is emphasised.
  enum class Priority { Far, End, Usual, Main };
  // Adds a button that triggers the action, which must outlive the bar. It is enabled while the
  // action is.
  void addMove(QAction* action, const QString& text, Priority priority);
  // Changes the text of the action's button, which does not become narrower. Does nothing for an
  // action without a button.
  void setMoveText(const QAction& action, const QString& text);
  // A flat button at the right end; hidden in a narrow window.
  void addCorner(QAction* action, const QString& text);
  // An empty title hides the position and the buttons that move the cursor, as without a document.
  void setTitle(const QString& title, const QString& about);
  // `widest` is the widest text at the present length of the run. It reserves the room, so that the
  // buttons do not move.
  void setPosition(const QString& text, const QString& widest);
  QString position() const;
  // Sets the button that shows the number of problems. An empty `summary` hides it.
  void setProblems(const QString& summary, const QString& icon, const QColor& colour);
  // Slim: a thin line whose length is setShare(), unless the mouse is over it.
  void setSlim(bool slim);
  bool isSlim() const { return slim_; }
  void setShare(double share);  // how much of the run the position has reached, 0 to 1
  // Shows a moving progress bar while the window waits.
  void setBusy(bool busy);
  bool isBusy() const;

 Q_SIGNALS:
  // The position was clicked.
  void positionRequested();
  // The button of the problems was clicked.
  void problemsRequested();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void enterEvent(QEnterEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  struct Move {
    QPushButton* button;
    QAction* action;
    Priority priority;
  };

  void setReached(bool reached);
  bool isLine() const { return slim_ && !reached_; }
  void fit();
  void showParts();
  void showProblemsText(bool shown);
  void openMore();

  QMenuBar* menus_;
  QPushButton* menuButton_;  // opens all menus, in place of menus_
  QMenu* allMenus_;
  ElidedLabel* title_;
  ElidedLabel* about_;
  QWidget* moves_;
  std::vector<Move> buttons_;  // in moves_
  QPushButton* more_;          // opens a menu of the moves that do not fit
  QWidget* corner_;
  QPushButton* problems_;
  QString problemsText_;
  QLabel* position_;
  int positionRoom_ = 0;
  QProgressBar* busy_;
  QTimer left_;  // delays the return to a line after the mouse has left
  bool slim_ = false;
  bool reached_ = false;  // the mouse is over the bar
  double share_ = 0;
};

}  // namespace shardlens
