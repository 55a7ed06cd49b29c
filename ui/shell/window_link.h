#pragma once

#include "ui/bridge/recording_comparison.h"
#include "ui/shell/link_bar.h"

#include <QElapsedTimer>
#include <QPointer>
#include <QTimer>
#include <memory>
#include <optional>

namespace shardlens {

class MainWindow;

// Two windows whose positions go together: where one is stepped, the other goes to the same event
// of its own recording, and stays where it has no such event. Both say so in their link bars and
// mark in Steps what differs. What is the same is found on another thread, and anew when a run has
// gone on; an engine that waits is asked to run to its end. The link begins when the second window
// has opened something, and ends when either closes what it shows.
class WindowLink final : public QObject {
  Q_OBJECT

 public:
  // The first one owns it; sentences call it A. At first the other goes where the leader is.
  WindowLink(MainWindow& first, MainWindow& second, MainWindow& leader);

  MainWindow& first() const { return *left_.window; }
  MainWindow& second() const { return *right_.window; }
  bool isCompared() const { return result_ != nullptr; }
  bool hasDifferences() const { return result_ != nullptr && result_->places.first(); }

  // In both windows, where there is one.
  void goToFirstDifference();
  void goToNextDifference();
  void goToPreviousDifference();
  // From here on each goes its own way.
  void end();

 Q_SIGNALS:
  void compared();

 private:
  using Place = DifferencePlaces::Place;
  using Side = DifferencePlaces::Side;
  struct Linked {
    QPointer<MainWindow> window;
    EventId position = 0;  // where it was brought, or last seen
    EventId size = 0;      // so many events were there to be compared
  };

  void watch(Side side);
  void endIfGivenUp();
  void refused(const QString& message);
  void begin();
  void goOn();
  bool hasGrown() const;
  void compare();
  void endComparison();
  void take(const std::shared_ptr<const ComparedRecordings>& result);
  void follow(Side side);
  void bringOther();
  void goTo(const std::optional<Place>& place);
  void say();
  LinkBar::Words wordsFor(Side side) const;
  QString sentenceAt(Side side, EventId position) const;
  QString summaryFor(Side side) const;
  bool has(Side side, const Place& place) const;
  QString nameOf(Side side) const;
  std::optional<EventId> partner(Side side) const;  // of where it is, in the other
  Linked& at(Side side) { return side == Side::Left ? left_ : right_; }
  const Linked& at(Side side) const { return side == Side::Left ? left_ : right_; }
  static Side other(Side side) { return side == Side::Left ? Side::Right : Side::Left; }
  Place here();  // where the leader is, in both

  Linked left_;
  Linked right_;
  Side leader_;  // who was moved last
  bool isOpen_ = false;
  QString failure_;  // of the comparison
  int percent_ = 0;
  std::unique_ptr<RecordingComparison> comparison_;  // while it goes on
  std::shared_ptr<const ComparedRecordings> result_;
  QElapsedTimer comparing_;
  int took_ = 0;  // the last comparison, in ms
  QTimer again_;  // until a run that has gone on is compared anew
};

}  // namespace shardlens
