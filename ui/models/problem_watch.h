#pragma once

#include "core/query/problems_table.h"

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>
#include <memory>

namespace shardlens {

// The problems of the recording that is open, as far as they are known. It is looked through in
// slices, so that the event loop gets its turn, and goes on as the recording grows.
class ProblemWatch final : public QObject {
  Q_OBJECT

 public:
  explicit ProblemWatch(QObject* parent = nullptr);

  // The journal must live until another is set. To be called again when it has grown or ended.
  void setJournal(const Journal& journal, RunState run);
  void searchAgain();  // where placements read otherwise now
  // What no event tells of: how the run ended.
  void setEnding(std::vector<Problem> ending);

  // Errors first, then as they came. Another list where anything has changed.
  const Problems& problems() const { return problems_; }
  EventId seen() const { return search_->seen(); }
  bool hasSeenChecks() const { return search_->hasSeenChecks(); }
  EventId size() const { return journal_->size(); }
  bool isSearching() const { return seen() < size(); }
  int errors() const { return errors_; }
  int warnings() const { return static_cast<int>(problems_->size()) - errors_; }
  QString summary() const;  // "2 errors · 1 warning"; empty where there is none
  // The nearest event of any problem after a position, and before; 0: there is none.
  EventId next(EventId position) const;
  EventId previous(EventId position) const;

 Q_SIGNALS:
  void changed();  // also how far it is

 private:
  void look();
  void collect();

  const Journal* journal_;
  RunState run_ = RunState::IsOver;
  std::unique_ptr<ProblemSearch> search_;
  std::vector<Problem> ending_;
  Problems problems_;
  int errors_ = 0;
  QTimer slices_;  // on, while there are events to look at
  QElapsedTimer since_;
};

// The nearest event of these, ascending, after a position, and before; 0: there is none.
EventId eventAfter(const std::vector<EventId>& events, EventId position);
EventId eventBefore(const std::vector<EventId>& events, EventId position);

}  // namespace shardlens
