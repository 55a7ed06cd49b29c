#pragma once

#include "core/model/event.h"

#include <cstdint>
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

// What can be done with the event that a row leads to: go there, show only events like it in Steps,
// and stop a run at them.
enum class WithEvent : std::uint8_t { Go, Filter, Break };
// As onRowChosen, and in the menu the rest. Of a row that leads to no event nothing comes.
void leadToEvents(QAbstractItemView& view,
                  const std::function<EventId(const QModelIndex&)>& eventOf,
                  const std::function<void(WithEvent, EventId)>& act);

}  // namespace shardlens
