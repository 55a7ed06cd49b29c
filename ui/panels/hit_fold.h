#pragma once

#include "ui/models/steps_model.h"

#include <set>

class QTreeView;

namespace shardlens {

// Folds the rows of cache hits in a tree of events into the rows of their spans, which state the
// number of hits. The row of the event at the position stays visible.
class HitFold final {
 public:
  // Does not own the tree or its model, which must outlive this object.
  HitFold(QTreeView& tree, StepsModel& model) : tree_(tree), model_(model) {}

  // Forgets all rows. Call when the model has been reset.
  void clear();
  // Folds the hits among these events; the model must have rows for them.
  void foldAmong(EventId first, EventId last);
  // Folds the hits that are children of the row.
  void foldInside(const QModelIndex& row);
  void setPosition(EventId position);
  void setFolded(bool folded);
  bool isEmpty() const { return hits_.empty(); }  // no hit is known

 private:
  void fold(EventId hit);
  void show(EventId hit, bool shown);

  QTreeView& tree_;
  StepsModel& model_;
  std::set<EventId> hits_;
  EventId position_ = 0;
  bool isFolded_ = true;
};

}  // namespace shardlens
