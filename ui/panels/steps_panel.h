#pragma once

#include "ui/models/matches_model.h"
#include "ui/models/steps_model.h"
#include "ui/panels/panel.h"

#include <QPersistentModelIndex>
#include <vector>

class QLabel;
class QShortcut;

namespace shardlens {

class QueryLine;
class StepsView;

// All events as a tree; the current one is marked, and a click or Return on another goes there.
// While its filter asks for some of them, those are listed, below what they happened in.
class StepsPanel final : public Panel {
  Q_OBJECT

 public:
  explicit StepsPanel(QWidget* parent = nullptr);
  void setSnapshot(const Journal& journal, const Snapshot& snapshot) override;
  const StepsModel& model() const { return *model_; }
  // Marks these events, sorted, as other than in another recording, the first one most; null: none.
  void setDifferences(std::shared_ptr<const std::vector<EventId>> events, EventId first);

  // Shows the line of the filter, and goes there; what it says stays.
  void openFilter();
  void setFilter(const QString& query);
  // Empty: none.
  const Query& filter() const { return matches_->query(); }
  EventId currentEvent() const;  // of the row that the keyboard is at; 0: none
  QString currentQuery() const;  // for events like that; empty: none

 Q_SIGNALS:
  void filterChanged();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void makeFilter();
  void offerActions(StepsView& view);
  void endFilter();
  void applyFilter();
  void showFilter(bool shown);
  void showCount();
  void unfold();
  void foldBehind(const QModelIndex& row);
  static void showPosition(StepsView& view, const QModelIndex& row, bool moved);
  StepsView& shown() const;

  StepsModel* model_;
  MatchesModel* matches_;
  StepsView* tree_;
  StepsView* list_;
  QWidget* filterRow_;
  QueryLine* line_;
  QLabel* count_;
  std::vector<QShortcut*> escapes_;  // from the rows
  const Journal* journal_ = nullptr;
  EventId position_ = 0;
  EventId expanded_ = 0;                         // events up to here have been unfolded once
  std::vector<QPersistentModelIndex> unfolded_;  // to show the position, and by nobody else
};

}  // namespace shardlens
