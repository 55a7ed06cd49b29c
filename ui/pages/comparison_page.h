#pragma once

#include "ui/bridge/recording_comparison.h"
#include "ui/bridge/recording_opener.h"
#include "ui/models/table_model.h"
#include "ui/pages/compared_tensors.h"
#include "ui/widgets/row_actions.h"

#include <QString>
#include <QStringList>
#include <QWidget>
#include <memory>
#include <optional>

class QTreeView;

namespace shardlens {

class ChoiceBox;
class ComparedStepsModel;
class ComparisonHead;
class ProblemWatch;
class QuietTable;
class TensorsModel;
struct InferredPlacements;

// The page that compares the open recording (A) with another one (B): the totals of both, the
// events of both as one tree, the list of differences, and the shards of a tensor in A and in B
// with their difference. It follows the position of the window; B is at the corresponding event.
class ComparisonPage final : public QWidget {
  Q_OBJECT

 public:
  explicit ComparisonPage(QWidget* parent = nullptr);
  ~ComparisonPage() override;

  // Compares the open recording `left` with the file or folder `right`, called `name`, and emits
  // shown(). If `left` is some steps, compares these steps. Replaces a running comparison. An error
  // appears in the summary.
  void compare(const RecordingSource& left, const QString& right, const QString& name);
  // Lists plain tensors of A with the placements that the watch infers. It must outlive the page.
  void setWatch(const ProblemWatch& watch);
  // Shows a position of the open recording. The journal must live until the next call or close().
  void setSnapshot(const Journal& journal, const Snapshot& snapshot);
  // Ends the comparison and drops the references to both recordings. Emits closed().
  void close();

  bool isOpen() const { return !other_.isEmpty(); }
  // True while B is read or the recordings are compared.
  bool isBusy() const;
  bool hasDifferences() const { return result_ != nullptr && result_->places.first(); }
  // Move to the first, next or previous difference; stay if there is none.
  void goToFirstDifference();
  void goToNextDifference();
  void goToPreviousDifference();

  const TableModel& model() const { return *model_; }  // of the differences
  const ComparedStepsModel& steps() const { return *steps_; }
  QString summary() const;  // the text above: progress, result or error

 Q_SIGNALS:
  void shown();
  void closed();
  void changed();  // isBusy() or hasDifferences() may have changed
  void positionRequested(shardlens::EventId position);
  // Requests a filter or a breakpoint for events like this one.
  void similarRequested(shardlens::WithEvent action, shardlens::EventId event);
  // Requests a window with the other recording; position 0: at the default position.
  void otherRequested(const QString& path, shardlens::EventId position);

 private:
  using Place = DifferencePlaces::Place;

  RecordingSource theirs() const;  // B
  QWidget* makeLists();
  void begin();
  void drop();
  void clearTensors();
  void listTensors();
  void take(const std::shared_ptr<const ComparedRecordings>& result);
  void present();
  void end(const QString& summary);
  void goTo(const std::optional<Place>& place);
  void goTo(const std::optional<Place>& place, const std::optional<Place>& other,
            const QString& note);
  void choose(const QModelIndex& row);
  void showPosition();
  Snapshot otherSnapshot() const;
  ComparedTensors::Verdict verdict(TensorId ours, TensorId theirs) const;

  RecordingSource ours_{QStringList()};              // A
  QString other_;                                    // path of B; empty: no comparison
  std::unique_ptr<RecordingComparison> comparison_;  // while it runs
  std::unique_ptr<RecordingOpener> opener_;          // while it reads B
  std::shared_ptr<const ComparedRecordings> result_;
  SharedRecording right_;  // B
  const Journal* left_ = nullptr;
  Snapshot snapshot_;    // of A
  TensorId pinned_ = 0;  // the chosen tensor; 0: the current one
  const ProblemWatch* watch_ = nullptr;
  std::shared_ptr<const InferredPlacements> inferred_;  // of A
  EventId at_ = 0;                                      // position in B
  std::optional<Place> requested_;                      // by goTo(), until A moves
  bool isNew_ = false;                                  // nothing has been shown since compare()

  TableModel* model_;
  TableModel* totals_;
  ComparedStepsModel* steps_;
  TensorsModel* tensors_;
  ComparisonHead* head_;
  QTreeView* tree_;
  QuietTable* table_;
  ChoiceBox* choice_;
  ComparedTensors* compared_;
};

}  // namespace shardlens
