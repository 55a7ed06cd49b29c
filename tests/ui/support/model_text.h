#pragma once

#include <QAbstractItemModel>
#include <string>

namespace shardlens {

// A model as text: a line a row, cells parted by " | ", children two spaces in.
std::string modelText(const QAbstractItemModel& model);

}  // namespace shardlens
