#pragma once

#include "core/query/problems/problems_table.h"

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>
#include <memory>
#include <vector>

namespace shardlens {

// The problems of the open recording, as far as it has been searched. Searches in slices of 4 ms
// from the event loop, and continues when the recording grows.
class ProblemWatch final : public QObject {
  Q_OBJECT

 public:
  explicit ProblemWatch(QObject* parent = nullptr);

  // Restarts the search if this is another journal. Call again when the journal has grown or the
  // run has ended. `lost` lists the ranks whose process died. The journal must live until the next
  // call. Before the first call, an empty journal is set.
  void setJournal(const Journal& journal, RunState run, std::vector<int> lost = {});
  // Sets the notation of placements in the sentences. Restarts the search if it changes.
  void setNotation(view::Notation notation);
  // Sets problems that no event records: how the run ended. They are listed after the errors of
  // their event and of earlier ones.
  void setEnding(std::vector<Problem> ending);

  // Never null. Returns errors, with those of setEnding(), in order of events, then warnings, the
  // most expensive first. The pointer changes if and only if the list does.
  const Problems& problems() const { return problems_; }
  // Returns the placements that are inferred for the plain tensors of a job; null if it has none,
  // if they are not inferred yet, and for another journal than that of setJournal(). The pointer
  // changes if and only if they are inferred again.
  std::shared_ptr<const InferredPlacements> inferred(const Journal& journal) const {
    return &journal == journal_ ? inferred_ : nullptr;
  }
  // The last event that was searched; 0: none.
  EventId seen() const { return search_->seen(); }
  // True if a searched event compares a result with plain tensors.
  bool hasSeenChecks() const { return search_->hasSeenChecks(); }
  // The number of events of the journal.
  EventId size() const { return journal_->size(); }
  bool isSearching() const { return seen() < size() || !isPrepared_; }
  int errors() const { return errors_; }
  int warnings() const { return static_cast<int>(problems_->size()) - errors_; }
  // Returns the suspect of the first problem that has one and has this event; empty: none.
  std::string suspectAt(EventId event) const;
  QString summary() const;  // "2 errors · 1 warning"; empty if there are no problems
  // Return the nearest event of any problem after or before the position; 0 if there is none.
  EventId next(EventId position) const;
  EventId previous(EventId position) const;

 Q_SIGNALS:
  // The list or the progress may have changed. Emitted every 250 ms during a search, and at its
  // end.
  void changed();

 private:
  void restart();
  void searchSlice();
  void collect();

  const Journal* journal_;
  RunState run_ = RunState::Ended;
  view::Notation notation_ = view::Notation::DTensor;
  std::unique_ptr<ProblemSearch> search_;
  bool isPrepared_ = true;  // see ProblemSearch::prepare()
  std::vector<int> lost_;
  std::vector<Problem> ending_;
  Problems problems_;
  std::shared_ptr<const InferredPlacements> inferred_;
  int errors_ = 0;
  QTimer slices_;  // active while events are left to search
  QElapsedTimer since_;
};

// Return the nearest of these ascending events after or before the position; 0 if there is none.
EventId eventAfter(const std::vector<EventId>& events, EventId position);
EventId eventBefore(const std::vector<EventId>& events, EventId position);

}  // namespace shardlens
