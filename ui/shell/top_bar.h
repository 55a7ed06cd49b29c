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

// The line above the panels: menus, what is open, the buttons that move the cursor, and where it
// stands.
class TopBar final : public QWidget {
  Q_OBJECT

 public:
  static constexpr int kHeight = 46;

  explicit TopBar(QWidget* parent = nullptr);

  QMenuBar* menus() const { return menus_; }
  // A button that does what the action does; the main one stands out.
  void addMove(QAction* action, const QString& text, bool isMain);
  void addFarMove(QAction* action, const QString& text);  // where there is room
  void addCorner(QAction* action, const QString& text);
  void setTitle(const QString& title, const QString& about);
  void setPosition(const QString& text);
  QString position() const;
  // A button that says how many problems there are; none where that is empty.
  void setProblems(const QString& summary, const QString& icon, const QColor& colour);
  // A thin line, as long as the share of the run that has been seen, while the mouse is elsewhere.
  void setSlim(bool slim);
  bool isSlim() const { return slim_; }
  void setShare(double share);
  // A bar that moves, while somebody is waited for.
  void setBusy(bool busy);
  bool isBusy() const;

 Q_SIGNALS:
  void problemsWanted();

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
  QTimer left_;  // until it is a line again
  bool slim_ = false;
  bool reached_ = false;  // by the mouse
  double share_ = 0;
};

}  // namespace shardlens
