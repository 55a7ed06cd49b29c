#pragma once

#include "core/model/event.h"

#include <cstdint>
#include <functional>

class QAbstractItemView;
class QAction;
class QModelIndex;
class QString;

namespace shardlens {

// Adds the action "Copy row" (Ctrl+C) to a view. It copies the texts of the current row's cells,
// separated by tabs, without empty cells at the end. Without a current row it keeps the clipboard.
void offerCopying(QAbstractItemView& view);
// Adds an action to the view that calls `act` with the current row, if there is one. The view owns
// the action.
QAction* offerOnRow(QAbstractItemView& view, const char* name, const QString& text,
                    const std::function<void(const QModelIndex&)>& act);
// Calls `go` with a row when it is clicked or activated (Return), and adds an action with this text
// that does the same, before the other actions of the view.
void onRowChosen(QAbstractItemView& view, const QString& text,
                 const std::function<void(const QModelIndex&)>& go);

// An action on the event of a row: go to it, show only events like it in Events, or set a
// breakpoint on such events.
enum class WithEvent : std::uint8_t { Go, Filter, Break };
// Does onRowChosen() with WithEvent::Go and adds actions for the other two. `eventOf` returns the
// event of a row, or 0; then `act` is not called.
void leadToEvents(QAbstractItemView& view,
                  const std::function<EventId(const QModelIndex&)>& eventOf,
                  const std::function<void(WithEvent, EventId)>& act);

}  // namespace shardlens
