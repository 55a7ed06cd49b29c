#pragma once

#include "ui/bridge/background_task.h"
#include "ui/pages/export_dialog.h"

namespace shardlens {

class MainWindow;

// What a window writes in other formats of what it has open: asked for in a dialog, written on
// another thread, and said in the message bar, which offers to cancel what takes long.
class Exports final : public QObject {
  Q_OBJECT

 public:
  explicit Exports(MainWindow& window);

  // The panel that a picture is proposed of; empty: nothing is proposed.
  void ask(const QString& panel = {});
  void start(const ExportChoice& choice);
  // Puts a step on the clipboard, as Markdown.
  void copyStep(int step);

 private:
  using Work = std::function<Result<void>(const Journal& journal, const Progress& progress)>;

  void drawPicture(const ExportChoice& choice);
  void run(const QString& what, const Work& work, const std::function<QString()>& done);
  void say(const QString& what, const Result<QString>& outcome);

  MainWindow& window_;
};

}  // namespace shardlens
