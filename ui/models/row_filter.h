#pragma once

#include "core/view/tables/table.h"

#include <QStringList>
#include <functional>

namespace shardlens {

// Returns true for the rows to show. An empty function shows all rows.
using RowFilter = std::function<bool(const view::Row&)>;

// Returns a filter that accepts rows in which each word occurs in some cell, ignoring case. Returns
// an empty filter if `words` is empty.
RowFilter rowsWith(const QStringList& words);

}  // namespace shardlens
