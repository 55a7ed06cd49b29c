#pragma once

#include "core/query/language/event_filter.h"
#include "ui/models/steps_model.h"

#include <QTimer>
#include <map>
#include <optional>
#include <vector>

namespace shardlens {

// A table model of the events that match a query, each below rows for the spans that contain it.
// Searches in slices from the event loop, and continues when the recording grows. Counts all
// matches, but stops listing them when there are kMost rows, spans included.
class MatchesModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  static constexpr std::size_t kMost = 20'000;

  // `steps` provides the texts of the rows. It must have the same journal and outlive this model.
  explicit MatchesModel(const StepsModel& steps, QObject* parent = nullptr);

  // Restarts the search if the query changed. An empty query lists nothing.
  void setQuery(const Query& query);
  const Query& query() const { return query_; }
  // Restarts the search if this is another journal or the journal has shrunk. The journal must live
  // until the next call. Call again when it has grown.
  void setJournal(const Journal& journal);

  std::size_t matches() const { return matches_; }
  // The number of matches of each kind of event that has any.
  const std::map<EventKind, std::size_t>& matchesByKind() const { return byKind_; }
  // Returns the events of the rows that are matches, ascending. Rows of spans are left out.
  std::vector<EventId> listed() const;
  EventId searchedTo() const { return searchedTo_; }  // the last event that was searched; 0: none
  // True while events are left to search. False without a query or a journal.
  bool isSearching() const { return search_.isActive(); }
  // True if the list is full. Further matches are only counted.
  bool isCut() const { return rows_.size() >= kMost; }

  // 0 for an invalid index.
  EventId eventOf(const QModelIndex& index) const;
  // Returns the row of the event, or of the last listed event before it; invalid if there is none.
  QModelIndex indexAt(EventId id) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 Q_SIGNALS:
  void searched();  // after each slice and after each restart

 private:
  struct Row {
    EventId event;
    int depth;
    bool isMatch;  // false: a span that contains a match
  };

  QString noteOf(EventId id) const;
  void restart();
  void searchSlice();
  void add(EventId match, std::vector<Row>& rows) const;

  const StepsModel& steps_;
  const Journal* journal_ = nullptr;
  Query query_;
  std::optional<EventFilter> filter_;  // nullopt: no query
  std::vector<Row> rows_;
  std::map<EventKind, std::size_t> byKind_;
  std::size_t matches_ = 0;
  EventId searchedTo_ = 0;
  QTimer search_;  // active while events are left to search
};

}  // namespace shardlens
