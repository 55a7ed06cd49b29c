#pragma once

#include "core/handbook/handbook.h"

#include <QWidget>
#include <vector>

class QLabel;
class QLineEdit;
class QListWidget;
class QListWidgetItem;
class QPushButton;

namespace shardlens {

class HandbookText;

// The window of the handbook: the list of pages, or of the sections that contain the words of the
// find field, and a page beside it. Ctrl+F focuses the find field, Alt+Left and Alt+Right go
// through the visited pages, F1 and Escape close the window.
class HandbookWindow final : public QWidget {
  Q_OBJECT

 public:
  // `root` as in readHandbook(). Without a handbook there, the window shows the error.
  HandbookWindow(const QString& root, QWidget* parent);

  // Goes to the page with this name, scrolled to its section with this title, if it has one. Does
  // not show the window. Does nothing if there is no such page.
  void openPage(const QString& page, const QString& section = {});

  QSize sizeHint() const override;

 Q_SIGNALS:
  void commandRequested(const QString& id);     // id of a command of the main window
  void scenarioRequested(const QString& path);  // a scenario of the gallery

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void layOut();
  void list();
  void choose(const QListWidgetItem* item);
  void showPage(const HandbookPage& page, const PageSection* section);
  void follow(const QUrl& link);

  QString root_;
  std::vector<HandbookPage> pages_;
  QPushButton* back_;
  QPushButton* forward_;
  QLineEdit* words_;
  QListWidget* found_;
  QLabel* empty_;
  HandbookText* text_;
};

// Returns the root of the handbook beside the program, or of this source tree; empty if there is
// none.
QString handbookRoot();

}  // namespace shardlens
