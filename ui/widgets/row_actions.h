#pragma once

#include <functional>

class QAbstractItemView;
class QModelIndex;

namespace shardlens {

// Gives the rows of a view a menu and Ctrl+C: the texts of the row's cells, parted by tabs.
void offerCopying(QAbstractItemView& view);
// Calls `go` with the row that is clicked, or on which Return is pressed.
void onRowChosen(QAbstractItemView& view, const std::function<void(const QModelIndex&)>& go);

}  // namespace shardlens
