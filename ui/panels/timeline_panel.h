#pragma once

#include "core/view/timeline/timeline.h"
#include "core/view/words/placement_words.h"
#include "ui/panels/panel.h"

#include <QElapsedTimer>
#include <QTimer>
#include <memory>

class QLabel;

namespace shardlens {

class TimelineCanvas;
class TimelineTotalsBox;

// The panel of what each rank does over time, with the totals of a selected area. Builds its
// timeline in slices from the event loop, and continues when the recording grows.
class TimelinePanel final : public Panel {
  Q_OBJECT

 public:
  explicit TimelinePanel(QWidget* parent = nullptr);
  // Marks the times of these events, which match the filter of Events. Empty: marks none.
  void setMatches(const std::vector<EventId>& events);
  void setSnapshot(const Journal& journal, const Snapshot& snapshot) override;
  // True if all events of the journal are in the timeline. True for an empty journal.
  bool isComplete() const { return !slices_.isActive(); }

 protected:
  void offerAt(QMenu& menu, QPoint place) override;

 private:
  void takeSlice();
  void showLegend();
  void showArea();
  QString sumsText() const;

  TimelineCanvas* canvas_;
  TimelineTotalsBox* totals_;
  QLabel* none_;
  const Journal* journal_ = nullptr;
  std::unique_ptr<view::Timeline> timeline_;
  EventId position_ = 0;
  view::Notation notation_ = view::Notation::DTensor;  // notation that was drawn
  QTimer slices_;
  EventId shown_ = 0;  // events of the timeline when it was shown
  QElapsedTimer sinceShown_;
};

}  // namespace shardlens
