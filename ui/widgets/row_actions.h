#pragma once

#include <functional>

class QAbstractItemView;
class QAction;
class QModelIndex;
class QString;

namespace shardlens {

// Gives the rows of a view Ctrl+C, and what else is in the menu of its panel: the texts of the
// row's cells, parted by tabs.
void offerCopying(QAbstractItemView& view);
// Another action of that menu, on the row that it is opened on or that the keyboard is at.
QAction* offerOnRow(QAbstractItemView& view, const char* name, const QString& text,
                    const std::function<void(const QModelIndex&)>& act);
// Calls `go` with the row that is clicked, on which Return is pressed, or that the menu is of.
void onRowChosen(QAbstractItemView& view, const std::function<void(const QModelIndex&)>& go);

}  // namespace shardlens
