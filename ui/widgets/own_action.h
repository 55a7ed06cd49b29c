#pragma once

#include <QKeySequence>
#include <functional>

class QAction;
class QString;
class QWidget;

namespace shardlens {

// Adds an action to a widget and returns it. The key calls `run` while the widget has the focus;
// the context menu of its panel lists the action. The widget owns the action.
QAction* addOwnAction(QWidget& widget, const QString& text, const QKeySequence& key,
                      const std::function<void()>& run);

}  // namespace shardlens
