#pragma once

#include <QWidget>
#include <functional>
#include <vector>

class QLabel;
class QPushButton;

namespace shardlens {

// A bar with one message that does not block the window. A message stays until it is closed or
// withdrawn. The newest message is shown; older ones reappear when it is closed.
class MessageBar final : public QWidget {
  Q_OBJECT

 public:
  enum class Kind { Note, Problem };
  struct Message {
    Kind kind = Kind::Note;
    QString text = {};
    QString action = {};  // label of the button; empty: no button
    // Called after the button has closed the message. Required with `action`.
    std::function<void()> run = {};
  };

  explicit MessageBar(QWidget* parent = nullptr);
  // Shows the message as the newest one. Replaces an earlier message with the same subject.
  void showMessage(const QString& subject, Message message);
  // Removes the message with this subject, if there is one.
  void withdraw(const QString& subject);
  void clear();          // removes all messages
  QString text() const;  // the shown message; empty if there is none

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void close();
  void act();
  void showNewest();

  struct Entry {
    QString subject;
    Message message;
  };
  std::vector<Entry> messages_;  // newest last
  QLabel* text_;
  QPushButton* action_;
  QPushButton* close_;
};

}  // namespace shardlens
