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

// A link between two windows. If the position in one moves, the other goes to the same event of its
// own recording, or stays if it has no such event. Both link bars report that, and Events marks the
// differences. The recordings are compared on another thread, and again when they have grown. Both
// engines run to their ends, because only recorded events can be compared. The link starts when the
// second window has opened its document, and ends when either window closes its document or the
// second one cannot open its document or the user cancels that.
class WindowLink final : public QObject {
  Q_OBJECT

 public:
  // Owned by `first`, which is called A in texts. The other window first goes to the position of
  // `leader`.
  WindowLink(MainWindow& first, MainWindow& second, MainWindow& leader);

  MainWindow& first() const { return *left_.window; }
  MainWindow& second() const { return *right_.window; }
  bool isCompared() const { return result_ != nullptr; }
  bool hasDifferences() const { return result_ != nullptr && result_->places.first(); }

  // Move both windows to the first, next or previous difference; stay if there is none. Require
  // isCompared().
  void goToFirstDifference();
  void goToNextDifference();
  void goToPreviousDifference();
  // Ends the link and schedules this object for deletion. A second call is harmless.
  void end();

 Q_SIGNALS:
  void compared();  // also after each later comparison; not if the comparison failed

 private:
  using Place = DifferencePlaces::Place;
  using Side = DifferencePlaces::Side;
  struct Linked {
    QPointer<MainWindow> window;
    EventId position = 0;  // last known position
    EventId size = 0;      // events that the last comparison covered
  };

  void watch(Side side);
  void endIfCancelled();
  void refused(const QString& message);
  void begin();
  void compareGrowth();
  bool hasGrown() const;
  void compare();
  void endComparison();
  void take(const std::shared_ptr<const ComparedRecordings>& result);
  void follow(Side side);
  void moveOther();
  void goTo(const std::optional<Place>& place);
  void showTexts();
  LinkBar::Words wordsFor(Side side) const;
  QString sentenceAt(Side side, EventId position) const;
  QString summaryFor(Side side) const;
  bool has(Side side, const Place& place) const;
  QString nameOf(Side side) const;
  // Returns the same event in the other window; nullopt if there is none or nothing was compared.
  std::optional<EventId> partner(Side side) const;
  Linked& at(Side side) { return side == Side::Left ? left_ : right_; }
  const Linked& at(Side side) const { return side == Side::Left ? left_ : right_; }
  static Side other(Side side) { return side == Side::Left ? Side::Right : Side::Left; }
  Place here();  // the position of the leader, in both windows

  Linked left_;
  Linked right_;
  Side leader_;  // the window that was moved last
  bool isOpen_ = false;
  QString failure_;  // error of the comparison
  int percent_ = 0;
  std::unique_ptr<RecordingComparison> comparison_;  // while it runs
  std::shared_ptr<const ComparedRecordings> result_;
  QElapsedTimer comparing_;
  int duration_ = 0;  // ms that the last comparison took
  QTimer recompare_;  // delay before a grown recording is compared again
};

}  // namespace shardlens
