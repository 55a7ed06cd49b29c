#pragma once

class QAbstractItemView;

namespace shardlens {

// Gives the rows of a view a menu and Ctrl+C: the texts of the row's cells, parted by tabs.
void offerCopying(QAbstractItemView& view);

}  // namespace shardlens
