#pragma once

#include <QDialog>
#include <QStringList>
#include <vector>

class QAction;
class QLineEdit;
class QListWidget;

namespace shardlens {

// A dialog to find a command by a few letters of its title. Without letters, the recently chosen
// commands come first.
class CommandPalette final : public QDialog {
  Q_OBJECT

 public:
  struct Entry {
    QString title;  // "Go: Step over"
    QAction* action;
  };

  CommandPalette(std::vector<Entry> entries, QWidget* window);
  void open() override;

  // The object names of the recently chosen actions, newest first; at most 5 after a choice.
  QStringList recent() const { return recent_; }
  void setRecent(const QStringList& recent) { recent_ = recent; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void list();
  void choose();

  std::vector<Entry> entries_;
  QStringList recent_;
  QLineEdit* typed_;
  QListWidget* found_;
};

}  // namespace shardlens
