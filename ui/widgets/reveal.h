#pragma once

#include <QAbstractItemView>

namespace shardlens {

// Scrolls so that a row is visible together with a few rows on either side. A row that was not
// visible is shown in the middle. Expands the row's parents in a tree. Requires a valid index.
void reveal(QAbstractItemView& view, const QModelIndex& row);

}  // namespace shardlens
