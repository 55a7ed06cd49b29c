#pragma once

#include "ui/bridge/cursor.h"

#include <QTimer>

namespace shardlens {

class BreakpointsModel;
class MessageBar;

// Moves the cursor over the events of the open document: to the next breakpoint, to a match of a
// query, or one by one at a speed. Reports in the message bar what stopped it.
class RunControl final : public QObject {
  Q_OBJECT

 public:
  // All three must outlive this object.
  RunControl(Cursor& cursor, BreakpointsModel& breakpoints, MessageBar& bar);

  // Move to the next or previous breakpoint. If there is none, move to the end or the start.
  void toNextBreakpoint();
  void toPreviousBreakpoint();
  // Moves to the next match of the query, or to a breakpoint before it; to the end if there is
  // neither. Does nothing if the query is invalid or empty.
  void runTo(const QString& query);
  // Moves to the previous match and ignores breakpoints. Stays if there is none. Does nothing if
  // the query is invalid or empty.
  void backTo(const QString& query);
  // Move to the next or previous match, ignoring breakpoints. Stay if there is none.
  void toNextMatch(const Query& query);
  void toPreviousMatch(const Query& query);
  // Starts or stops playing. It stops at the end, at a breakpoint, and when a search begins.
  void setPlaying(bool playing);
  bool isPlaying() const { return play_.isActive(); }
  // Change the speed by one level, from 0.5 to 20 events per second; stay at the last level.
  void faster() { setSpeed(speed_ + 1); }
  void slower() { setSpeed(speed_ - 1); }
  QString speedText() const;  // "2/s": events per second
  // Cancels a search and stops playing.
  void stop();
  // True while it plays or the cursor waits for events.
  bool isGoing() const { return isPlaying() || cursor_.waits(); }

 Q_SIGNALS:
  void changed();  // playing, or its speed, changed
  void leaves();   // a search is about to move the cursor; not emitted while playing

 private:
  enum class Search { Breakpoint, Match };

  void begin(Search search);
  void arrived(EventId event);
  void moved();
  void playOn();
  bool stopsHere();
  void setSpeed(int speed);

  Cursor& cursor_;
  BreakpointsModel& breakpoints_;
  MessageBar& bar_;
  Search search_ = Search::Breakpoint;
  QTimer messageDelay_;     // delays the message that a search runs
  QTimer play_;             // active while playing
  int speed_;               // index in kSpeeds
  EventId played_ = 0;      // last position that was checked for breakpoints while playing
  EventId reportedAt_ = 0;  // position that the "stopped" message is about
};

}  // namespace shardlens
