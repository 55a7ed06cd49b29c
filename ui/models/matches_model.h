#pragma once

#include "core/query/event_filter.h"
#include "ui/models/steps_model.h"

#include <QTimer>
#include <optional>
#include <vector>

namespace shardlens {

// The events that a query asks for, in a list, below the spans that they happened in. They are
// looked for some at a time, also in what a recording grows by. All are counted; the rows end with
// the first kMost.
class MatchesModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  static constexpr std::size_t kMost = 20'000;

  // The steps say what a row says of its event; they have the journal, and outlive this.
  explicit MatchesModel(const StepsModel& steps, QObject* parent = nullptr);

  void setQuery(const Query& query);
  const Query& query() const { return query_; }
  // The journal must live until another is set.
  void setJournal(const Journal& journal);

  std::size_t matches() const { return matches_; }
  EventId looked() const { return looked_; }  // at the events up to here
  bool isLooking() const { return look_.isActive(); }
  bool isCut() const { return rows_.size() >= kMost; }

  EventId eventOf(const QModelIndex& index) const;
  // The row of the event, or of the last one before it that has a row.
  QModelIndex indexAt(EventId id) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 Q_SIGNALS:
  void lookedOn();

 private:
  struct Row {
    EventId event;
    int depth;
    bool isMatch;  // else a match is inside of it
  };

  void restart();
  void lookOn();
  void add(EventId match, std::vector<Row>& rows) const;

  const StepsModel& steps_;
  const Journal* journal_ = nullptr;
  Query query_;
  std::optional<EventFilter> filter_;  // none: no query
  std::vector<Row> rows_;
  std::size_t matches_ = 0;
  EventId looked_ = 0;
  QTimer look_;  // on, while there is more to look at
};

}  // namespace shardlens
