#pragma once

#include <QWidget>
#include <functional>
#include <vector>

class QLabel;
class QPushButton;

namespace shardlens {

// One sentence across the window, that never stops anybody from working. It stays until it is
// closed or no longer true; the newest is seen, and those that it covers come back after it.
class MessageBar final : public QWidget {
  Q_OBJECT

 public:
  enum class Kind { Note, Problem };
  struct Message {
    Kind kind = Kind::Note;
    QString text = {};
    QString action = {};  // what the button says that is offered with it, if any
    std::function<void()> what = {};
  };

  explicit MessageBar(QWidget* parent = nullptr);
  // Takes the place of what was said of the same subject before.
  void say(const QString& subject, Message message);
  void withdraw(const QString& subject);
  void clear();
  QString text() const;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void close();
  void act();
  void showNewest();

  struct Said {
    QString subject;
    Message message;
  };
  std::vector<Said> said_;  // the newest last
  QLabel* text_;
  QPushButton* action_;
  QPushButton* close_;
};

}  // namespace shardlens
