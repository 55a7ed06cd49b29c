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

// What is open beside another recording: in what they differ, the first difference marked. A row
// leads to its event here; the other recording opens at its event in a window of its own.
class ComparisonSheet final : public Sheet {
  Q_OBJECT

 public:
  explicit ComparisonSheet(QWidget* window);
  ~ComparisonSheet() override;

  // Takes the place of a comparison that goes on.
  void compare(const QStringList& left, const QString& right, const QString& name);
  const TableModel& model() const { return *model_; }
  QString summary() const;

 Q_SIGNALS:
  void positionWanted(shardlens::EventId position);
  void likeWanted(shardlens::WithEvent what, shardlens::EventId event);
  void otherWanted(const QString& path, shardlens::EventId position);

 protected:
  void hideEvent(QHideEvent* event) override;

 private:
  void show(const ComparedRecordings& result);
  void end(const QString& summary);
  void openOther();

  std::unique_ptr<RecordingComparison> comparison_;  // while it goes on
  QString other_;
  std::vector<EventId> others_;  // by row
  TableModel* model_;
  QuietTable* table_;
  QLabel* summary_;
  QProgressBar* busy_;
  QPushButton* open_;
};

}  // namespace shardlens
