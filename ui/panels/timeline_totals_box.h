#pragma once

#include "core/view/timeline/timeline_totals.h"

#include <QWidget>

class QLabel;

namespace shardlens {

class QuietTable;
class TableModel;

// The totals of a selected area of the timeline: by name, and by rank.
class TimelineTotalsBox final : public QWidget {
  Q_OBJECT

 public:
  explicit TimelineTotalsBox(QWidget* parent = nullptr);

  // Shows the totals of an area. Does not retain the arguments.
  void setArea(const Journal& journal, const view::Timeline& timeline,
               const view::TimelineArea& area);
  QuietTable& names() const { return *names_; }  // its rows lead to the longest event of the name

 Q_SIGNALS:
  void closeRequested();

 private:
  QLabel* title_;
  TableModel* byName_;
  TableModel* byRank_;
  QuietTable* names_;
  QuietTable* ranks_;
};

}  // namespace shardlens
