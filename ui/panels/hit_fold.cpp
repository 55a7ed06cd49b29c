#include "ui/panels/hit_fold.h"

#include <QTreeView>
#include <utility>

namespace shardlens {

void HitFold::clear() { hits_.clear(); }

void HitFold::foldAmong(EventId first, EventId last) {
  for (EventId id = first; id <= last; ++id) {
    if (model_.isHit(id)) {
      fold(id);
    }
  }
}

void HitFold::foldInside(const QModelIndex& row) {
  for (const EventId hit : model_.hitsOf(model_.eventOf(row))) {
    fold(hit);
  }
}

void HitFold::fold(EventId hit) {
  if (hits_.insert(hit).second && isFolded_ && hit != position_) {
    show(hit, false);
  }
}

void HitFold::setPosition(EventId position) {
  const EventId before = std::exchange(position_, position);
  if (!isFolded_ || before == position) {
    return;
  }
  if (hits_.contains(before)) {
    show(before, false);
  }
  if (hits_.contains(position)) {
    show(position, true);
  }
}

void HitFold::setFolded(bool folded) {
  isFolded_ = folded;
  for (const EventId hit : hits_) {
    show(hit, !folded || hit == position_);
  }
}

// A hit of the root level stays visible, because no row states it.
void HitFold::show(EventId hit, bool shown) {
  const QModelIndex row = model_.indexOf(hit);
  if (row.parent().isValid()) {
    tree_.setRowHidden(row.row(), row.parent(), !shown);
  }
}

}  // namespace shardlens
