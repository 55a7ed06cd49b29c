#pragma once

#include "core/trace/snapshot.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <functional>
#include <optional>

namespace shardlens {

// The one position that every panel shows: events 1..position have happened. Going back only moves
// it over the journal; going past the end of a run that goes on asks for more, and the newest such
// wish replaces one still waiting. It says so at most once in 16 ms, however often it moves.
class Cursor final : public QObject {
  Q_OBJECT

 public:
  explicit Cursor(QObject* parent = nullptr);

  // The journal must live until another is set. `run` asks for events up to a position.
  void setJournal(const Journal& journal, std::function<void(EventId)> run = nullptr);
  // What was an empty journal has become this one; wishes stay.
  void adoptJournal(const Journal& journal);
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
  const Snapshot& snapshot();

  void toStart() { moveTo(0); }
  void back();
  void step() { seek({Goal::Position, position_ + 1}); }
  // The next event that is not inside the current one.
  void over();
  void toEnd();
  void moveTo(EventId position) { seek({Goal::Position, position}); }

 Q_SIGNALS:
  void moved();

 private:
  struct Goal {
    enum Kind { Position, Over, End } kind;
    EventId from;  // the position wanted, or the event to step over
  };

  void seek(Goal goal);
  void pursue();
  std::optional<EventId> reached(const Goal& goal) const;
  void show(EventId position);
  void announce();

  const Journal* journal_;
  std::optional<Replay> replay_;
  std::function<void(EventId)> run_;
  std::optional<Goal> goal_;
  EventId position_ = 0;
  QTimer redraw_;
  QElapsedTimer since_;
};

}  // namespace shardlens
