#pragma once

#include "core/query/event_filter.h"
#include "core/trace/snapshot/state_index.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

namespace shardlens {

// The one position that every panel shows: events 1..position have happened. Going back only moves
// it over the journal; going past the end of a run that goes on asks for more. Steps that are
// wished for meanwhile wait for one another; whatever names a place replaces all that wait. It says
// so at most once in 16 ms, however often it moves. What is far is looked for in slices, so that
// the event loop gets its turn.
class Cursor final : public QObject {
  Q_OBJECT

 public:
  explicit Cursor(QObject* parent = nullptr);

  // The journal must live until another is set. `run` asks for events up to a position. `states`:
  // its index, where it has one already, which others may have too.
  void setJournal(const Journal& journal, std::function<void(EventId)> run = nullptr,
                  std::shared_ptr<StateIndex> states = nullptr);
  // What was an empty journal, or less of a run, has become this one; wishes stay.
  void adoptJournal(const Journal& journal, std::shared_ptr<StateIndex> states = nullptr);
  void clear();
  // The journal has grown, or will not grow any more.
  void journalGrew();
  void journalEnded();

  EventId position() const { return position_; }
  EventId size() const { return journal_->size(); }
  bool mayGrow() const { return run_ != nullptr; }
  bool waits() const { return goal_.has_value(); }
  bool atEnd() const { return position_ == size() && !mayGrow(); }
  const Journal& journal() const { return *journal_; }
  Snapshot snapshot();

  void toStart() { moveTo(0); }
  void back();
  // The sibling before the current event, or its parent.
  void backOver();
  void step() { add(Step::Into); }
  // The next event that is not inside the current one.
  void over() { add(Step::Over); }
  // The next event that is not inside the current one's parent.
  void out() { add(Step::Out); }
  void toEnd() { seek({Goal::End, 0}); }
  void moveTo(EventId position) { seek({Goal::Position, position}); }
  // The last event of a step of the scenario, from 0: runs until the step has ended.
  void toEndOfStep(int step) { seek({Goal::EndOfStep, static_cast<EventId>(step)}); }
  // The next event, or the one before, that any of these asks for. Where there is none it stays, or
  // goes to the end, or the start.
  enum class IfNone { Stay, GoOn };
  void toNext(std::vector<Query> any, IfNone ifNone) { search(Goal::Next, std::move(any), ifNone); }
  void toPrevious(std::vector<Query> any, IfNone ifNone) {
    search(Goal::Previous, std::move(any), ifNone);
  }
  // Gives up what it waits for.
  void stay();

 Q_SIGNALS:
  void moved();
  // What toNext or toPrevious looked for; 0: there is none.
  void found(shardlens::EventId event);

 private:
  struct Goal {
    enum Kind { Position, Over, EndOfStep, End, Next, Previous } kind;
    EventId which;     // the position, the event to step over, the step, or what was found
    EventId seen = 0;  // the events up to here, of Previous from here, are known not to be it
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
  std::vector<Query> sought_;  // by toNext or toPrevious
  IfNone ifNone_ = IfNone::Stay;
  std::vector<EventFilter> filters_;  // of what is sought, on this journal
  std::deque<Step> next_;             // to be done when the goal is reached
  EventId position_ = 0;
  QTimer redraw_;
  QTimer look_;  // on, while there are events yet to be looked at for the goal
  QElapsedTimer since_;
};

}  // namespace shardlens
