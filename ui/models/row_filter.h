#pragma once

#include "core/view/table.h"

#include <QStringList>
#include <functional>

namespace shardlens {

// Which rows of a table are shown; an empty one: all.
using RowFilter = std::function<bool(const view::Row&)>;

// Rows that contain every word, each in any cell as it is shown, whatever its case. Of no words, an
// empty one.
RowFilter rowsWith(const QStringList& words);

}  // namespace shardlens
