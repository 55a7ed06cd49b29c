#pragma once

#include <QDialog>
#include <QStringList>
#include <vector>

class QAction;
class QLineEdit;
class QListWidget;

namespace shardlens {

// Everything that can be done, found by a few letters of its title. Without letters those that were
// chosen here last come first.
class CommandPalette final : public QDialog {
  Q_OBJECT

 public:
  struct Entry {
    QString title;  // "Go: Step over"
    QAction* action;
  };

  CommandPalette(std::vector<Entry> entries, QWidget* window);
  void open() override;

  // The object names of the actions that were chosen last, the newest first.
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
