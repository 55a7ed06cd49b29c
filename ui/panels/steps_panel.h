#pragma once

#include "ui/models/matches_model.h"
#include "ui/models/steps_model.h"
#include "ui/panels/hit_fold.h"
#include "ui/panels/panel.h"

#include <QPersistentModelIndex>
#include <vector>

class QLabel;
class QShortcut;
class QToolButton;

namespace shardlens {

class QueryLine;
class StepsView;

// The panel with all events as a tree; the current one is marked, and a click or Return on a row
// goes to its event. Rows of cache hits are folded. While a filter is set, a list of the matching
// events replaces the tree.
class StepsPanel final : public Panel {
  Q_OBJECT

 public:
  explicit StepsPanel(QWidget* parent = nullptr);
  void setSnapshot(const Journal& journal, const Snapshot& snapshot) override;
  const StepsModel& model() const { return *model_; }
  // Marks the sorted events that differ from the linked recording, and the first of them. Null:
  // none.
  void setDifferences(std::shared_ptr<const std::vector<EventId>> events, EventId first);

  // Shows the filter line with its text and focuses it.
  void openFilter();
  // As openFilter(), with this text. While the text is invalid, the previous filter stays. An empty
  // text ends the filter and leaves the line open.
  void setFilter(const QString& query);
  // The query of the filter; empty if there is none.
  const Query& filter() const { return matches_->query(); }
  EventId currentEvent() const;  // event of the current row; 0: none
  QString currentQuery() const;  // query for events like it; empty: none

 Q_SIGNALS:
  void filterChanged();  // filter() changed
  // The search for the filter has ended with other matches; empty without a filter.
  void matchesChanged(const std::vector<shardlens::EventId>& events);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void makeFilter();
  void makeFold();
  void showHits();
  void offerActions(StepsView& view);
  void endFilter();
  void applyFilter();
  void showFilter(bool shown);
  void showCount();
  void showNote();
  QString suggestion() const;
  void unfold();
  void foldBehind(const QModelIndex& row);
  static void showPosition(StepsView& view, const QModelIndex& row, bool moved);
  StepsView& shown() const;

  StepsModel* model_;
  MatchesModel* matches_;
  StepsView* tree_;
  StepsView* list_;
  HitFold fold_;       // of the tree
  QToolButton* hits_;  // shows the folded rows
  QWidget* filterRow_;
  QueryLine* line_;
  QLabel* count_;
  std::vector<EventId> marked_;      // of the last matchesChanged()
  std::vector<QShortcut*> escapes_;  // Escape shortcuts of the tree and the list
  const Journal* journal_ = nullptr;
  EventId position_ = 0;
  std::int64_t sent_ = 0;                        // up to the position
  EventId expanded_ = 0;                         // last event that has been expanded automatically
  std::vector<QPersistentModelIndex> unfolded_;  // expanded by the panel to show the position
};

}  // namespace shardlens
