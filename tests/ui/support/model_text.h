#pragma once

#include <QAbstractItemModel>
#include <string>

namespace shardlens {

// Returns a model as text: a line per row, cells separated by " | ", children indented by two
// spaces.
std::string modelText(const QAbstractItemModel& model);

}  // namespace shardlens
