#pragma once

#include <QKeySequence>
#include <functional>

class QAction;
class QString;
class QWidget;

namespace shardlens {

// Something that a widget itself can do: by a key while it has the focus, and in the menu of its
// panel.
QAction* addOwnAction(QWidget& widget, const QString& text, const QKeySequence& key,
                      const std::function<void()>& run);

}  // namespace shardlens
