#pragma once

#include <QDialog>
#include <QStringList>
#include <functional>
#include <vector>

class QAction;
class QLineEdit;
class QListWidget;

namespace shardlens {

// A dialog to find a command, or a place of the recording, by a few letters of its title. Without
// letters, it lists the commands, the recently chosen ones first.
class CommandPalette final : public QDialog {
  Q_OBJECT

 public:
  struct Entry {
    QString title;  // "Go: Step over"
    QAction* action;
  };

  struct Place {
    QString title;  // "Tensor: x f32[8, 4]"
    std::function<void()> go;
  };
  // Returns the places that match the letters, the best first.
  using FindPlaces = std::function<std::vector<Place>(const QString& letters)>;

  // Does not own the actions, which must outlive the palette. `findPlaces` is called on each change
  // of the letters, also with none. `window` must not be null.
  CommandPalette(std::vector<Entry> entries, FindPlaces findPlaces, QWidget* window);
  void open() override;  // clears the letters and opens at the top of the window

  // The object names of the recently chosen actions, newest first; at most 5 after a choice.
  QStringList recent() const { return recent_; }
  void setRecent(const QStringList& recent) { recent_ = recent; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void list();
  void choose();

  std::vector<Entry> entries_;
  FindPlaces findPlaces_;
  std::vector<Place> places_;  // that are listed
  QStringList recent_;
  QLineEdit* typed_;
  QListWidget* found_;
};

}  // namespace shardlens
