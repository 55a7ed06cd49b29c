#pragma once

#include "core/query/language/event_filter.h"
#include "core/trace/snapshot/state_index.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

namespace shardlens {

// The position in the journal that all panels show: events 1..position have happened. Moving past
// the end of a running engine's journal requests more events; all other moves only change the
// position. While a target is not reached, relative steps are queued; a request for any other
// target replaces the current target and the queue. moved() is emitted at most once in 16 ms. Long
// searches run in slices, between which the event loop runs. GUI thread only.
class Cursor final : public QObject {
  Q_OBJECT

 public:
  explicit Cursor(QObject* parent = nullptr);

  // Shows the start of another journal and drops all pending moves. The journal must live until
  // another one is set. `run` requests events up to a position, ~EventId{0} for all; if it is null,
  // the journal cannot grow. `states` is the journal's index, possibly shared; a new one is made if
  // it is null.
  void setJournal(const Journal& journal, std::function<void(EventId)> run = nullptr,
                  std::shared_ptr<StateIndex> states = nullptr);
  // Replaces the journal by a newer one of the same document. Keeps the position, as far as the
  // journal has it, and pending moves. Emits nothing: call journalGrew() or journalEnded() next.
  void adoptJournal(const Journal& journal, std::shared_ptr<StateIndex> states = nullptr);
  void clear();  // sets an empty journal and drops all pending moves
  // To be called when the journal has grown, or will not grow any more: mayGrow() is false then.
  // Continues pending moves.
  void journalGrew();
  void journalEnded();

  EventId position() const { return position_; }
  EventId size() const { return journal_->size(); }
  bool mayGrow() const { return run_ != nullptr; }
  bool waits() const { return goal_.has_value(); }  // true: a move is pending
  bool atEnd() const { return position_ == size() && !mayGrow(); }
  const Journal& journal() const { return *journal_; }
  // Returns the state at the position. Indexes the journal up to it, which may take long once.
  Snapshot snapshot();

  // Moves by one event or to a place. step(), over() and out() are queued behind a pending move;
  // the other functions replace it. A position beyond the end of a complete journal means its end.
  void toStart() { moveTo(0); }
  void back();
  // Moves to the previous sibling of the current event, or to its parent if there is none.
  void backOver();
  void step() { add(Step::Into); }
  // Moves to the next event that is not inside the current event.
  void over() { add(Step::Over); }
  // Moves to the next event that is not inside the current event's parent.
  void out() { add(Step::Out); }
  // Moves to the last event. While the journal grows, shows the newest event.
  void toEnd() { seek({Goal::End, 0}); }
  void moveTo(EventId position) { seek({Goal::Position, position}); }
  // Moves to the last event of a step of the scenario, counted from 0. Runs the engine until the
  // step has ended.
  void toEndOfStep(int step) { seek({Goal::EndOfStep, static_cast<EventId>(step)}); }
  // Moves to the next or previous event that matches any of the queries. If there is none, the
  // cursor stays (Stay) or moves to the end or the start (ToTheEnd). Emits found() when done.
  enum class IfNone { Stay, ToTheEnd };
  void toNext(std::vector<Query> any, IfNone ifNone) { search(Goal::Next, std::move(any), ifNone); }
  void toPrevious(std::vector<Query> any, IfNone ifNone) {
    search(Goal::Previous, std::move(any), ifNone);
  }
  // Cancels the pending move and the queue. found() is not emitted for a cancelled search.
  void stay();

 Q_SIGNALS:
  // The position, the journal or waits() may have changed.
  void moved();
  // The event that toNext() or toPrevious() moved to, or 0 if no event matches.
  void found(shardlens::EventId event);

 private:
  struct Goal {
    enum Kind { Position, Over, EndOfStep, End, Next, Previous } kind;
    EventId which;  // the position, the event to step over, the step, or the event found
    // The search has examined all events up to this one (Previous: from this one on) without a
    // match.
    EventId seen = 0;
  };
  enum class Step { Into, Over, Out };

  void seek(Goal goal);
  void search(Goal::Kind kind, std::vector<Query> any, IfNone ifNone);
  void makeFilters();
  EventId foundAhead(Goal& goal) const;
  EventId foundBehind(Goal& goal) const;
  void add(Step step);
  Goal goalOf(Step step) const;
  void pursue();
  std::optional<EventId> reached(Goal& goal) const;
  bool mayBeThere(const Goal& goal) const;
  bool hasEnded(int step) const;
  void show(EventId position);
  void announce();

  const Journal* journal_;
  std::shared_ptr<StateIndex> states_;
  std::function<void(EventId)> run_;
  std::optional<Goal> goal_;
  std::vector<Query> sought_;  // the queries of toNext() or toPrevious()
  IfNone ifNone_ = IfNone::Stay;
  std::vector<EventFilter> filters_;  // the queries of `sought_`, compiled for this journal
  std::deque<Step> next_;             // relative steps, to be taken when the goal is reached
  EventId position_ = 0;
  QTimer redraw_;
  QTimer search_;  // active while the search for the goal has unexamined events
  QElapsedTimer since_;
};

}  // namespace shardlens
