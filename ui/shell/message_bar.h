#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace shardlens {

// One sentence across the window, that stays until it is closed or another takes its place, and
// never stops anybody from working.
class MessageBar final : public QWidget {
  Q_OBJECT

 public:
  enum class Kind { Note, Problem };

  explicit MessageBar(QWidget* parent = nullptr);
  // With an action, a button is offered that asks for it.
  void say(Kind kind, const QString& text, const QString& action = {});
  void clear();
  QString text() const;

 Q_SIGNALS:
  void actionWanted();

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QLabel* text_;
  QPushButton* action_;
  QPushButton* close_;
  Kind kind_ = Kind::Note;
};

}  // namespace shardlens
