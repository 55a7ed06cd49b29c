#pragma once

#include "ui/bridge/background_task.h"
#include "ui/pages/export_dialog.h"

namespace shardlens {

class MainWindow;

// Exports the open document in other formats: asks in a dialog, writes on another thread, and
// reports in the message bar, where a long export can be cancelled. Pictures are drawn on the GUI
// thread.
class Exports final : public QObject {
  Q_OBJECT

 public:
  explicit Exports(MainWindow& window);  // the window owns this object

  // Opens the dialog. Preselects a picture of `panel` unless it is empty. Requires an open
  // document.
  void openDialog(const QString& panel = {});
  void start(const ExportChoice& choice);  // starts the export without asking; requires a document
  // Copies a step, numbered from 0, to the clipboard as Markdown. Reads on another thread; the
  // clipboard changes when that has ended without an error. Requires a document.
  void copyStep(int step);

 private:
  using Work = std::function<Result<void>(const Journal& journal, const Progress& progress)>;

  void drawPicture(const ExportChoice& choice);
  void run(const QString& subject, const Work& work, const std::function<QString()>& done);
  void showOutcome(const QString& subject, const Result<QString>& outcome);

  MainWindow& window_;
};

}  // namespace shardlens
