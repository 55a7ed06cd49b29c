#pragma once

#include <QTimer>
#include <QWidget>

class QAction;
class QLabel;
class QMenuBar;
class QProgressBar;
class QPushButton;

namespace shardlens {

class ElidedLabel;

// The bar above the panels: menus, the title of the document, the buttons that move the cursor, and
// the position.
class TopBar final : public QWidget {
  Q_OBJECT

 public:
  static constexpr int kHeight = 46;

  explicit TopBar(QWidget* parent = nullptr);

  QMenuBar* menus() const { return menus_; }
  // Adds a button that triggers the action. The main one is emphasised.
  void addMove(QAction* action, const QString& text, bool isMain);
  void addFarMove(QAction* action, const QString& text);  // hidden in a narrow window
  // A flat button at the right end; hidden in a narrow window.
  void addCorner(QAction* action, const QString& text);
  void setTitle(const QString& title, const QString& about);
  void setPosition(const QString& text);
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
  // The button of the problems was clicked.
  void problemsRequested();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void enterEvent(QEnterEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  void setReached(bool reached);
  bool isLine() const { return slim_ && !reached_; }
  void fit();
  void showParts();

  QMenuBar* menus_;
  ElidedLabel* title_;
  ElidedLabel* about_;
  QWidget* moves_;
  QWidget* farMoves_;
  QWidget* corner_;
  QPushButton* problems_;
  QLabel* position_;
  QProgressBar* busy_;
  QTimer left_;  // delays the return to a line after the mouse has left
  bool slim_ = false;
  bool reached_ = false;  // the mouse is over the bar
  double share_ = 0;
};

}  // namespace shardlens
