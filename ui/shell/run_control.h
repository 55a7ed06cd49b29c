#pragma once

#include "ui/bridge/cursor.h"

#include <QTimer>

namespace shardlens {

class BreakpointsModel;
class MessageBar;

// Goes on, and back, over the events of what is open: to the next breakpoint, to a place, or one by
// one at a speed until there is one; and says what stopped it.
class RunControl final : public QObject {
  Q_OBJECT

 public:
  // They outlive it.
  RunControl(Cursor& cursor, BreakpointsModel& breakpoints, MessageBar& bar);

  // Without any, to the end, or the start.
  void toNextBreakpoint();
  void toPreviousBreakpoint();
  // To the next event that the query asks for, or the first breakpoint before it.
  void runTo(const QString& query);
  // To the one before, past breakpoints.
  void backTo(const QString& query);
  // Of a filter, past breakpoints.
  void toNextMatch(const Query& query);
  void toPreviousMatch(const Query& query);
  void setPlaying(bool playing);
  bool isPlaying() const { return play_.isActive(); }
  void faster() { setSpeed(speed_ + 1); }
  void slower() { setSpeed(speed_ - 1); }
  QString speedText() const;  // "2/s": events a second
  // Gives up what it looks for, and plays no more.
  void stop();
  bool isGoing() const { return isPlaying() || cursor_.waits(); }

 Q_SIGNALS:
  void changed();  // whether it plays, and how fast
  void leaves();   // the position, for one that may be far

 private:
  enum class Wish { Breakpoint, Match };

  void begin(Wish wish);
  void arrived(EventId event);
  void moved();
  void playOn();
  bool stopsHere();
  void setSpeed(int speed);

  Cursor& cursor_;
  BreakpointsModel& breakpoints_;
  MessageBar& bar_;
  Wish wish_ = Wish::Breakpoint;
  QTimer looking_;      // until it is said that it looks for something
  QTimer play_;         // on, while it plays
  int speed_;           // the place in a list of them
  EventId played_ = 0;  // up to here no breakpoint stopped it
  EventId said_ = 0;    // what is said is of this position
};

}  // namespace shardlens
