#pragma once

#include "ui/pages/message_bar.h"
#include "ui/shell/main_window.h"
#include "ui/shell/style.h"

#include <QAbstractItemView>
#include <QLabel>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <QThreadPool>

namespace shardlens {

// Opens a file in the window and waits up to a minute. Returns false if it cannot be opened.
inline bool openIn(MainWindow& window, const QString& file) {
  return window.openPath(file) && QTest::qWaitFor([&] { return !window.isOpening(); }, 60000) &&
         window.lastProblem().isEmpty();
}

// A main window with a temporary folder for files, and functions to use it as a person does.
class Window {
 public:
  Window() {
    applyColourScheme(*qApp, ColourScheme::Light);
    window.resize(1280, 800);
    window.show();
  }

  // Returns the part with this object name; null if there is none.
  template <class T>
  T* find(const char* name) {
    return window.findChild<T*>(QLatin1String(name));
  }
  void click(const char* button) { QTest::mouseClick(find<QPushButton>(button), Qt::LeftButton); }
  void press(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    QTest::keyClick(&window, static_cast<Qt::Key>(key), modifiers);
  }
  // Opens a file and waits, as openIn().
  bool open(const QString& file) { return openIn(window, file); }
  QString position() { return find<QLabel>("position")->text(); }
  QString message() { return window.messages().text(); }
  // Returns the path of a file in the temporary folder.
  QString path(const char* name) const { return folder.filePath(QLatin1String(name)); }
  // Waits until position() is this text. Returns false if it is not within this time.
  bool shows(const QString& text, int milliseconds = 10000) {
    return QTest::qWaitFor([&] { return position() == text; }, milliseconds);
  }

  // Waits until recordings are closed, which other threads do: the folder cannot be removed before.
  struct Closing {
    ~Closing() { QThreadPool::globalInstance()->waitForDone(); }
  };

  QTemporaryDir folder;
  Closing closing;  // after the window is destroyed
  MainWindow window{MainWindow::Memory::Forgets};
};

}  // namespace shardlens
