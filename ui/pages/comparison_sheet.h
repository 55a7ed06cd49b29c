#pragma once

#include "core/model/event.h"
#include "ui/models/table_model.h"
#include "ui/pages/sheet.h"
#include "ui/widgets/row_actions.h"

#include <QString>
#include <QStringList>
#include <memory>

class QLabel;
class QProgressBar;
class QPushButton;

namespace shardlens {

class RecordingComparison;
class QuietTable;
struct ComparedRecordings;

// A sheet with the differences between the open recording and another one; the first difference is
// marked. Activating a row goes to its event here. A button opens the other recording in a separate
// window.
class ComparisonSheet final : public Sheet {
  Q_OBJECT

 public:
  explicit ComparisonSheet(QWidget* window);
  ~ComparisonSheet() override;

  // Shows the sheet, and compares the files `left` of the open recording with the file or folder
  // `right`, called `name` in the title. Replaces a running comparison. Hiding the sheet cancels
  // the comparison. An error appears in the summary.
  void compare(const QStringList& left, const QString& right, const QString& name);
  const TableModel& model() const { return *model_; }
  QString summary() const;  // the text above the table: progress, result or error

 Q_SIGNALS:
  void positionRequested(shardlens::EventId position);
  // Requests a filter or a breakpoint for events like this one.
  void similarRequested(shardlens::WithEvent action, shardlens::EventId event);
  // Requests a window with the other recording; position 0: at the default position.
  void otherRequested(const QString& path, shardlens::EventId position);

 protected:
  void hideEvent(QHideEvent* event) override;

 private:
  void show(const ComparedRecordings& result);
  void end(const QString& summary);
  void openOther();

  std::unique_ptr<RecordingComparison> comparison_;  // while it runs
  QString other_;
  std::vector<EventId> others_;  // the other recording's event by table row; 0: none
  TableModel* model_;
  QuietTable* table_;
  QLabel* summary_;
  QProgressBar* busy_;
  QPushButton* open_;
};

}  // namespace shardlens
